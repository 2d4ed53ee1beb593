/**
 * An ASCII letter, followed by letters of other scripts that look like it in most fonts. Unlike Unicode's table (TR39),
 * which folds every bar to `l`, Cyrillic and Greek capital I become I, because words are read here, not compared.
 */
export const strictLookalikes: readonly string[] = [
  'A\u0410\u0391\u13aa\u15c5\ua4ee\ud800\udea0',
  'B\u0412\u0392\u13f4\u15f7\ua4d0\ud800\udea1',
  'C\u0421\u03f9\u13df\u2ca4\ua4da\ud800\udea2\ud801\udc15',
  'D\u13a0\u15de\u15ea\ua4d3',
  'E\u0415\u0395\u13ac\ua4f0\u2d39',
  'F\u03dc\u15b4\ua4dd',
  'G\u050c\u13c0\u13f3\ua4d6',
  'H\u041d\u0397\u13bb\u157c\u2c8e\ua4e7',
  'I\u0406\u0399\u04c0\u2c92\ua4f2\u16c1\u2d4f',
  'J\u0408\u037f\u13ab\u148d\ua4d9',
  'K\u041a\u039a\u13e6\u16d5\u2c94\ua4d7\u212a',
  'L\u13de\u14aa\u2cd0\ua4e1\ud801\udc1b',
  'M\u041c\u039c\u03fa\u13b7\u15f0\u16d6\u2c98\ua4df',
  'N\u039d\u2c9a\ua4e0',
  'O\u041e\u039f\u0555\u2c9e\ua4f3\u2d54\u12d0\ud801\udc04',
  'P\u0420\u03a1\u13e2\u146d\u2ca2\ua4d1',
  'Q\u051a\u2d55',
  'R\u13a1\u13d2\u1587\ua4e3',
  'S\u0405\u054f\u13d5\u13da\ua4e2\ud801\udc20',
  'T\u0422\u03a4\u13a2\u2ca6\ua4d4',
  'U\u054d\u144c\u1200\ua4f4',
  'V\u0474\u13d9\u142f\u2d38\ua4e6',
  'W\u051c\u13b3\u13d4\ua4ea',
  'X\u0425\u03a7\u16b7\u2cac\ua4eb\u2d5d',
  'Y\u04ae\u03a5\u03d2\u13a9\u13bd\u2ca8\ua4ec',
  'Z\u0396\u13c3\ua4dc',
  'a\u0430',
  'c\u0441\u03f2\u2ca5\uabaf\ud801\udc3d',
  'd\u0501\u13e7\u146f\ua4d2',
  'e\u0435\u04bd\uab32',
  'g\u0581',
  'h\u04bb\u0570\u13c2',
  'i\u0456\uab75',
  'j\u0458\u03f3',
  'l\u04cf',
  'n\u0578',
  'o\u043e\u03bf\u0585\u2c9f\u0d20\u101d\ud801\udc2c',
  'p\u0440\u2ca3',
  'q\u051b\u0563',
  's\u0455\uabaa\ud801\udc48',
  'u\u057d',
  'v\u0475',
  'w\u051d\u0561',
  'x\u0445\u166e',
  'y\u0443\u04af',
];

/** Weak lookalikes, replaced only in words with ASCII letters. */
export const looseLookalikes: readonly string[] = [
  'A\u0414\u0394\u039b',
  'E\u0404\u0395\u03a3',
  'N\u0418\u0376',
  'R\u042f\u042c',
  'O\u0398\u03a6\u0424\u03b8',
  'W\u0428\u0429',
  'U\u0426',
  'X\u0416',
  'Y\u0427\u04b0',
  'a\u03b1',
  'b\u0432\u042c\u044c\u0462\u03b2\u13cf\u1472\u15af',
  'c\u2cbd\u03c2',
  'd\u13e7',
  'e\u0454\u03b5\u03ad\u0451',
  'f\uab35\u0584\u03dd',
  'g\u0581',
  'h\u043d\u2c8f',
  'i\u03b9\u0457\u03af\u03ca\ud806\udcc3',
  'j\u0575',
  'k\u043a\u03ba\u2c95\u049b\u04a1\u049f',
  'm\u043c\u2c99',
  'n\u03b7\u03c0\u0438\u043f\u057c\u0578\ud801\udcf4\u03ae',
  'o\u03c3\u03cc\ud801\udcea\ud806\udcc8\ud806\udcd7\u03c9\u03d9',
  'p\u03c1\u2ca3\u03f1',
  'q\u0563\u0566',
  'r\u0433\u2c85\uab47\uab48\uab81\u0491\u044f',
  's\uabaa\ud806\udcc1',
  't\u03c4\u0442\u04ad',
  'u\u03c5\u057d\u0446\ud801\udcf6\ud806\udcd8\uab4e\uab52\u03cd\u03cb\u03b0',
  'v\u03bd\ud806\udcc0\uaba9\u0475',
  'w\u0448\u0449\u03c9\u051d\u0461\u0561\ud805\udf0a\uab83',
  'x\u03c7\u0436\u1541\u04b3\u166d',
  'y\u03b3\u0447\u045e\u04af\u04b1\ud806\udcdc',
  'z\uab93\ud806\udcc4\u03b6',
];

/** Non-ASCII Latin letters that look like ASCII letters. Languages use them, so they are not evidence. */
export const latinLookalikes: readonly string[] = [
  'a\u0251',
  'b\u0180\u0253',
  'c\u0188\u023c',
  'd\u0257\u0111\u0256',
  'e\u025b\u0247',
  'f\u0192\ua799',
  'g\u0261\u1d83\u018d\u0260\u01e5',
  'h\u0266\u0127',
  'i\u0131\u0269\u0268\u1d7c',
  'j\u0249\u0237',
  'k\u0199',
  'l\u0196\u026b\u019a',
  'm\u0271',
  'n\u0272\u019e\u014b\u0273',
  'o\u00f8\u0275',
  'p\u01bf\u01a5',
  'q\u024b',
  'r\u027c\u027d\u024d',
  's\u01bd\u0282\u023f',
  't\u01ab\u0167\u01ad\u0288',
  'u\u028b\u0289\u026f\ua79f',
  'v\u028b',
  'w\u026f\u0270',
  'y\u0263\u01b4\u024f',
  'z\u01b6\u0290',
  'B\u0181',
  'C\u0187',
  'D\u0189\u018a',
  'E\u0190',
  'I\u0197',
  'K\u0198',
  'N\u019d',
  'O\u00d8\u019f',
  'P\u01a4',
  'R\u01a6',
  'S\u01a7',
  'T\u01ac',
  'Z\u01b5',
];

/** Small capitals, which style ASCII words outside phonetic text. */
export const smallCapitals: readonly string[] = [
  'a\u1d00',
  'b\u0299',
  'c\u1d04',
  'd\u1d05',
  'e\u1d07',
  'f\ua730',
  'g\u0262',
  'h\u029c',
  'i\u026a',
  'j\u1d0a',
  'k\u1d0b',
  'l\u029f',
  'm\u1d0d',
  'n\u0274',
  'o\u1d0f',
  'p\u1d18',
  'q\ua7af',
  'r\u0280',
  's\ua731',
  't\u1d1b',
  'u\u1d1c',
  'v\u1d20',
  'w\u1d21',
  'y\u028f',
  'z\u1d22',
];

/** Alphabets of 26 letters: first code point, first ASCII letter. */
export const alphabets: readonly (readonly [first: number, letter: string])[] = [
  [0x24b6, 'A'], // circled
  [0x24d0, 'a'],
  [0x249c, 'a'], // in parentheses
  [0x1f110, 'A'],
  [0x1f130, 'A'], // squared
  [0x1f150, 'A'], // white on a black disc
  [0x1f170, 'A'], // white on a black square
  [0x1ccd6, 'A'], // outlined
];

/** Blocks whose NFKC form is a plain letter or digit: mathematical and outlined characters. */
export const styledBlocks: readonly (readonly [first: number, last: number])[] = [
  [0x1d400, 0x1d7ff],
  [0x1ccf0, 0x1ccf9],
  [0x1fbf0, 0x1fbf9],
];

/** Letterlike symbols of mathematical alphabets. */
export const styledSymbols = 'ℂℊℋℌℍℎℐℑℒℓℕℙℚℛℜℝℤℨℬℭℯℰℱℳℴℹⅅⅆⅇⅈⅉ';

/** Codes whose regional indicators form a flag. */
export const flagCodes =
  'AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW';
