import type { CardFile } from './card-set.ts';
import { type Card, type Condition, readCard, type ReadCard } from './card-schema.ts';

/** Returns warnings about parts of cards that never apply, with file, line and remedy. */
export function deadCards(files: readonly CardFile[]): string[] {
  const cards = readable(files);
  const states = sessionStates(files);
  return cards.flatMap((read) => [...deadTransitions(read), ...deadRules(read, states)]);
}

export function sessionStates(files: readonly CardFile[]): ReadonlySet<string> {
  const states = readable(files).flatMap(({ card: { fsm } }) => statesOf(fsm));
  return new Set(states.length === 0 ? ['INIT'] : states);
}

function readable(files: readonly CardFile[]): readonly ReadCard[] {
  return files
    .map(({ name, text }) => readCard(name, text))
    .filter((read): read is ReadCard => 'card' in read);
}

function statesOf(fsm: Card['fsm']): string[] {
  return fsm === undefined ? [] : [fsm.initial_state, ...fsm.transitions.map(({ to }) => to)];
}

function deadTransitions({ card: { fsm }, problem }: ReadCard): string[] {
  const states = new Set(statesOf(fsm));
  return (fsm?.transitions ?? []).flatMap(({ from }, index) =>
    from === '*' || states.has(from)
      ? []
      : [problem(['fsm', 'transitions', index, 'from'], undeclared(from, states))],
  );
}

function undeclared(state: string, states: ReadonlySet<string>): string {
  return `no transition reaches the state ${state}; the states are ${[...states].join(', ')}`;
}

function deadRules({ card, problem }: ReadCard, states: ReadonlySet<string>): string[] {
  return card.rules.flatMap(({ match, conditions }, index) => {
    const types = match.type === undefined ? [] : [match.type].flat();
    const isModel = types.length > 0 && types.every((type) => type === 'llm_call');
    const isMcp = types.length > 0 && !types.includes('llm_call');
    const wrong = isModel ? (['tool', 'server'] as const) : isMcp ? (['model'] as const) : [];
    const ofMatch = wrong
      .filter((name) => match[name] !== undefined)
      .map((name) =>
        problem(
          ['rules', index, 'match', name],
          `the rule can never fire: calls of type ${types.join(', ')} have no ${name}; change match.type or remove match.${name}`,
        ),
      );
    const ofStates = conditions.flatMap((condition, at) =>
      statesIn(condition).some((state) => states.has(state)) || statesIn(condition).length === 0
        ? []
        : [problem(['rules', index, 'conditions', at], undeclared(statesIn(condition).join(', '), states))],
    );
    return [...ofMatch, ...ofStates];
  });
}

function statesIn(condition: Condition): string[] {
  if (!('field' in condition) || condition.field !== 'session.state') return [];
  if (condition.op !== 'equals' && condition.op !== 'in') return [];
  return [condition.value].flat().filter((value) => typeof value === 'string');
}
