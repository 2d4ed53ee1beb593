import {
  PASS_EVENT,
  type Denial,
  type Flag,
  type Rewrite,
  type StreamAction,
  type StreamRewrite,
  type StreamRewriter,
} from './check.ts';

export interface RewriterWatch {
  readonly isShadowed: boolean;
  readonly observe: (verdict: Flag | Pick<Rewrite, 'kind' | 'reason'> | Denial, enforced: boolean) => void;
  /** Never rejects. */
  readonly enforce: (verdict: Pick<Denial, 'enforce'>) => Promise<void>;
}

/** Wraps a rewriter: records its verdicts, and drops their effects in shadow mode. */
export function observedRewriter(
  rewriter: StreamRewriter,
  { isShadowed, observe, enforce }: RewriterWatch,
): StreamRewriter {
  let over = false;
  function note(kind: 'rewrite' | 'flag', reason: string | undefined): void {
    if (reason === undefined) return;
    observe({ kind, reason }, kind === 'rewrite' && !isShadowed);
  }
  async function cut(denial: Denial): Promise<void> {
    over = true;
    observe(denial, !isShadowed);
    if (!isShadowed) await enforce(denial);
  }
  function settle(action: StreamAction): StreamAction | Promise<StreamAction> {
    if (action.kind === 'cut') return cut(action.denial).then(() => (isShadowed ? PASS_EVENT : action));
    if (action.kind === 'rewrite') note(changesNothing(action) ? 'flag' : 'rewrite', action.reason);
    if (isShadowed) return PASS_EVENT;
    if (action.kind !== 'rewrite' || action.enforce === undefined) return action;
    return enforce(action).then(() => action);
  }
  return {
    ...((isShadowed || rewriter.readsText === false) && { readsText: false }),
    ...(rewriter.received !== undefined && {
      received(event) {
        if (!over) rewriter.received?.(event);
      },
    }),
    ...(rewriter.event !== undefined && {
      event(event) {
        if (over) return PASS_EVENT;
        const action = rewriter.event?.(event) ?? PASS_EVENT;
        return action instanceof Promise ? action.then(settle) : settle(action);
      },
    }),
    async end() {
      const tail = over ? undefined : await rewriter.end?.();
      if (tail === undefined) return undefined;
      note('rewrite', tail.reason);
      if (tail.cut !== undefined) await cut(tail.cut);
      return isShadowed ? undefined : tail;
    },
    comment: () => (isShadowed ? undefined : rewriter.comment?.()),
  };
}

function changesNothing({ before = [], edits = [], held }: StreamRewrite): boolean {
  return before.length === 0 && edits.length === 0 && held !== true;
}
