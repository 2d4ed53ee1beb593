import { pathAhead, readClimb, type Climb, type PathAhead } from './climb.ts';
import type { Detector, Finding } from '../finding.ts';
import { stickyEnd } from '../../text/sticky.ts';

/** Possible start of two dots. */
const ANCHOR =
  /\.(?=[.%\\&0\uff0e\u2024\ufe52\u00c0])|%(?=[2%c-fuC-FU])|\\(?=[\\ux05UX])|&(?=#|period)|0(?=[xX]2)|[\uff0e\u2024\ufe52]|\u00c0\u00ae/g;
const OBFUSCATION = /[^./\\]|\.{4}[\\/]{2}/;

const SLASH = String.raw`[\\/]{1,4}`;
const SEGMENTS = String.raw`(?:[\w.~-]{1,40}${SLASH}){0,3}?`;
const END = String.raw`(?![\w-])`;

/** System files; one level up is enough. */
const SYSTEM_FILE = new RegExp(
  SEGMENTS +
    String.raw`(?:etc${SLASH}(?:passwd|shadow|gshadow|hosts|group|sudoers|issue|motd|fstab|crontab|hostname|resolv\.conf|my\.cnf|mysql|ssh|ssl|apache2?|httpd|nginx|php|network|security|cron\w{0,8}|environment|profile|inetd\.conf|vsftpd|[a-z]{2,12}-release|os-release|shells|exports|samba)` +
    String.raw`|proc${SLASH}(?:self|version|net|cmdline|mounts|cpuinfo|sched_debug|\d{1,7})|boot\.ini|autoexec\.bat|config\.sys|(?:win|system)\.ini|system32` +
    String.raw`|\.ssh|id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|\.aws|\.kube${SLASH}config|\.docker${SLASH}config|\.gnupg|\.netrc|\.pgpass|\.(?:bash|zsh|mysql)_history|\.htpasswd|\.htaccess` +
    String.raw`|usr${SLASH}local${SLASH}(?:apache2?|nginx|etc)|var${SLASH}(?:log|www${SLASH}[\w-]{1,20}${SLASH}(?:config|wp-config|settings)|run${SLASH}secrets|lib${SLASH}mlocate|spool)|inetpub|global\.asa|web-inf|sam|ntds\.dit)${END}`,
  'iy',
);

/** Files in system folders whose names modules may also have. */
const SYSTEM_FOLDER_FILE = new RegExp(
  `${SEGMENTS}(?:win(?:dows|nt)${SLASH}\\w{1,20}|root${SLASH}\\.?\\w{1,20})${END}`,
  'iy',
);

/** System folders; require at least two levels up, or an obfuscated climb. */
const SYSTEM_FOLDER = new RegExp(
  String.raw`(?:[a-z](?::|%3a|\$)${SLASH})?(?:etc|proc|root|win(?:dows|nt)|syswow64|perflogs|programdata|program(?: |%20|\+)files|documents(?: |%20|\+)and(?: |%20|\+)settings` +
    String.raw`|system(?: |%20|\+)volume(?: |%20|\+)information|\$recycle\.bin|private${SLASH}(?:etc|var)` +
    String.raw`|var${SLASH}(?:run|lib|mail|backups|cache|db|tmp|adm|crash)|run${SLASH}secrets|lost\+found` +
    String.raw`|dev${SLASH}(?:null|zero|u?random|shm|k?mem|tcp|udp|std(?:in|out|err)|fd|tty\w{0,6}|[hsv]d[a-z]\d{0,2}|nvme\w{1,8})` +
    String.raw`|sys${SLASH}(?:class|kernel|fs|block|bus|devices|firmware|module|power)|boot${SLASH}(?:grub2?|efi|vmlinuz|initrd|initramfs|config))(?![\w-]|\.\w)`,
  'iy',
);

/** Files that project code may refer to; require at least two levels up. */
const PROJECT_FILE = new RegExp(
  SEGMENTS +
    String.raw`(?:\.env(?!\.(?:example|sample|template|dist))|\.git${SLASH}(?:config|head|index)|web\.config|wp-config\.php|config\.inc\.php|php\.ini|\.npmrc|\.git-credentials|secrets?\.(?:ya?ml|json))${END}`,
  'iy',
);

/** Code directly before a module path: `from "`, `require('`, or a document link. */
const REFERENCE =
  /(?:\b(?:from|import|require|include|mock|resolve|export|reference)\b[\s(=]{0,3}\\{0,2}["'`<]|\]\()(?:\.\/)?$/i;
const REFERENCE_CHARS = 24;

const TAIL = /[\w.~%\\/-]{0,256}/y;

const RULES = {
  target: 'sensitive_target',
  folder: 'system_folder',
  encoded: 'encoded_climb',
} as const;

export const TRAVERSAL_RULES: readonly string[] = Object.values(RULES);

/**
 * Finds paths that climb to a sensitive file or a system folder, and obfuscated climbs of at least two levels to any
 * target. Plain climbs to other targets are common in code.
 */
export const findPathTraversal: Detector = (text) => {
  const found: Finding[] = [];
  ANCHOR.lastIndex = 0;
  for (let anchor = ANCHOR.exec(text); anchor !== null; anchor = ANCHOR.exec(text)) {
    const start = anchor.index;
    const climb = readClimb(text, start);
    ANCHOR.lastIndex = climb?.end ?? start + 1;
    const judged = climb === undefined ? undefined : judgeClimb(text, climb, start);
    if (judged === undefined) continue;
    found.push({ detector: 'path_traversal', class: 'traversal', start, ...judged });
    ANCHOR.lastIndex = judged.end;
  }
  return found;
};

function judgeClimb(
  text: string,
  { end, levels }: Climb,
  start: number,
): Pick<Finding, 'rule' | 'end'> | undefined {
  const isHigh = levels > 1;
  const isObfuscated = OBFUSCATION.test(text.slice(start, end));
  const ahead = pathAhead(text, end);
  const targets = [
    SYSTEM_FILE,
    ...(isReference(text, start) ? [] : [SYSTEM_FOLDER_FILE]),
    ...(isHigh ? [PROJECT_FILE] : []),
  ];
  const target = targetEnd(ahead, targets);
  if (target !== undefined) return { rule: RULES.target, end: target };
  if ((isHigh || isObfuscated) && !isReference(text, start)) {
    const folder = targetEnd(ahead, [SYSTEM_FOLDER]);
    if (folder !== undefined) return { rule: RULES.folder, end: stickyEnd(TAIL, text, folder) ?? folder };
  }
  return isHigh && isObfuscated ? { rule: RULES.encoded, end: stickyEnd(TAIL, text, end) ?? end } : undefined;
}

function targetEnd({ path, offsetAfter }: PathAhead, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const end = stickyEnd(pattern, path, 0);
    if (end !== undefined) return offsetAfter(end);
  }
  return undefined;
}

const isReference = (text: string, start: number): boolean =>
  REFERENCE.test(text.slice(Math.max(0, start - REFERENCE_CHARS), start));
