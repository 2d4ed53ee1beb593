import { readYaml, type ReadYaml } from '../read-yaml.ts';
import { cardSchema, type Card } from './card-schema.ts';

/** A card that is well-formed, and where its parts stand. */
export type ReadCard = Omit<ReadYaml<Card>, 'value'> & { readonly card: Card };

/** Reads the YAML of a card; where it is none, every problem as a text. Never throws. */
export function readCard(name: string, text: string): ReadCard | readonly string[] {
  const read = readYaml(name, text, { schema: cardSchema, what: 'a card' });
  if (!('value' in read)) return read;
  const { value: card, ...places } = read;
  return { card, ...places };
}
