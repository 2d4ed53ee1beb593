/**
 * Between texts that are searched together: a noncharacter, over which no detector reads. A NUL would not do, since it
 * prints nothing and is looked through.
 */
export const APART = '\uffff';
