import type { Detector, Finding } from './finding.ts';

/** `/` or `\`, also percent-encoded once or more, or overlong. */
const SLASH = String.raw`(?:[\\/]{1,4}|%(?:25){0,3}(?:2f|5c)|%(?:25)?c0%(?:25)?(?:af|2f|5c)|%c1%(?:9c|1c)|%e0%80%af|%ef%bc%8f|0x(?:2f|5c)|%u221[56]|\u2215)`;
const DOT = String.raw`(?:\.|%(?:25){0,3}2e|%c0%(?:ae|2e)|%u002e)`;
/** One level up; `....//` and `..;/` are what is left of filters that remove `../` or servers that strip parameters. */
const UP = String.raw`${DOT}{2,4};?(?:%0[0ad])?${SLASH}(?:\.[\\/]){0,2}`;
const CLIMB = new RegExp(String.raw`${UP}(?:${UP}){0,63}`, 'gi');
const SEGMENTS = String.raw`(?:[\w.~-]{1,40}${SLASH}){0,3}?`;
const END = String.raw`(?![\w-])`;

/** Files of the machine: one level up is enough. */
const SYSTEM_FILE = new RegExp(
  SEGMENTS +
    String.raw`(?:etc${SLASH}(?:passwd|shadow|gshadow|hosts|group|sudoers|issue|motd|fstab|crontab|hostname|resolv\.conf|my\.cnf|mysql|ssh|ssl|apache2?|httpd|nginx|php|network|security|cron\w{0,8}|environment|profile|inetd\.conf|vsftpd|[a-z]{2,12}-release|os-release|shells|exports|samba)` +
    String.raw`|proc${SLASH}(?:self|version|net|cmdline|mounts|cpuinfo|sched_debug|\d{1,7})|boot\.ini|autoexec\.bat|config\.sys|(?:win|system)\.ini|win(?:dows|nt)${SLASH}\w{1,20}|system32` +
    String.raw`|\.ssh|id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|\.aws|\.kube${SLASH}config|\.docker${SLASH}config|\.gnupg|\.netrc|\.pgpass|\.(?:bash|zsh|mysql)_history|\.htpasswd|\.htaccess` +
    String.raw`|usr${SLASH}local${SLASH}(?:apache2?|nginx|etc)|var${SLASH}(?:log|www${SLASH}[\w-]{1,20}${SLASH}(?:config|wp-config|settings)|run${SLASH}secrets|lib${SLASH}mlocate|spool)|inetpub|global\.asa|web-inf|sam|ntds\.dit|root${SLASH}\.?\w{1,20})${END}`,
  'iy',
);

/** Files that a project's own code names as well, from a folder within it: two levels up or more. */
const PROJECT_FILE = new RegExp(
  SEGMENTS +
    String.raw`(?:\.env(?!\.(?:example|sample|template|dist))|\.git${SLASH}(?:config|head|index)|web\.config|wp-config\.php|config\.inc\.php|php\.ini|\.npmrc|\.git-credentials|secrets?\.(?:ya?ml|json))${END}`,
  'iy',
);

export const TRAVERSAL_RULE = 'sensitive_target';

const LEVEL = new RegExp(UP, 'gi');

/** Finds paths that climb out of their folder to a sensitive file, plain or percent-encoded. Imports of code lead to none. */
export const findPathTraversal: Detector = (text) => {
  const found: Finding[] = [];
  CLIMB.lastIndex = 0;
  for (let climb = CLIMB.exec(text); climb !== null; climb = CLIMB.exec(text)) {
    const end = targetEnd(text, climb[0], CLIMB.lastIndex);
    if (end === undefined) continue;
    found.push({
      detector: 'path_traversal',
      class: 'traversal',
      rule: TRAVERSAL_RULE,
      start: climb.index,
      end,
    });
    CLIMB.lastIndex = end;
  }
  return found;
};

const targetEnd = (text: string, climb: string, at: number): number | undefined => {
  SYSTEM_FILE.lastIndex = at;
  if (SYSTEM_FILE.test(text)) return SYSTEM_FILE.lastIndex;
  if ((climb.match(LEVEL)?.length ?? 0) < 2) return undefined;
  PROJECT_FILE.lastIndex = at;
  return PROJECT_FILE.test(text) ? PROJECT_FILE.lastIndex : undefined;
};
