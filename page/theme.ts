import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'theme';

export const theme = signal<Theme>(storedTheme());

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system'; // storage is disabled
  }
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  try {
    localStorage.setItem(STORED, theme.value);
  } catch (error) {
    console.info('The theme cannot be stored:', error);
  }
});
