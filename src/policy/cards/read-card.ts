import { readYaml, type ReadYaml } from '../read-yaml.ts';
import { cardSchema, type Card } from './card-schema.ts';

export type ReadCard = Omit<ReadYaml<Card>, 'value'> & { readonly card: Card };

/** Reads a card's YAML. Returns all problems as texts if it is invalid; never throws. */
export function readCard(name: string, text: string): ReadCard | readonly string[] {
  const read = readYaml(name, text, { schema: cardSchema, kind: 'a card' });
  if (!('value' in read)) return read;
  const { value: card, ...places } = read;
  return { card, ...places };
}
