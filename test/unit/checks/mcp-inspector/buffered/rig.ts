export const base64 = (text: string): string => Buffer.from(text).toString('base64');
