/** Content-Type parameters with which a body can be searched, in any position. */
export const READABLE_PARAMETERS: readonly string[] = [
  '',
  '; charset=utf-8',
  ';CHARSET="UTF8"',
  '; x=1; charset=utf-8',
  '; charset=us-ascii',
  '; charset=ISO-8859-1',
  '; charset=latin1',
  '; charset=windows-1252',
  '; charset=',
];

/** Content-Type parameters that are refused: a reader could decode letters that the gateway does not see. */
export const UNREADABLE_PARAMETERS: readonly string[] = [
  '; charset=utf-16',
  ';Charset = "UTF-16LE"',
  '; charset=utf-7',
  '; charset=ibm037',
  '; charset=utf-8; charset=utf-16',
  '; charset=utf-16; charset=utf-8',
  '; x="; charset=utf-16"',
  "; charset*=utf-8''utf-16",
  '; charset*0=utf-; charset*1=16',
];
