/** The keys of the timeline: what each does, for the hand and for the list that `?` shows. */

export type KeyAction =
  | 'closer'
  | 'farther'
  | 'left'
  | 'right'
  | 'lanesUp'
  | 'lanesDown'
  | 'fit'
  | 'whole'
  | 'nextMark'
  | 'previousMark'
  | 'keys'
  | 'back';

const ACTIONS: ReadonlyMap<string, KeyAction> = new Map([
  ['w', 'closer'],
  ['s', 'farther'],
  ['a', 'left'],
  ['d', 'right'],
  ['ArrowLeft', 'left'],
  ['ArrowRight', 'right'],
  ['ArrowUp', 'lanesUp'],
  ['ArrowDown', 'lanesDown'],
  ['+', 'closer'],
  ['=', 'closer'],
  ['-', 'farther'],
  ['f', 'fit'],
  ['0', 'whole'],
  ['.', 'nextMark'],
  [',', 'previousMark'],
  ['?', 'keys'],
  ['Escape', 'back'],
]);

export const LISTED: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: ['W', 'S'], does: 'zoom closer, farther (at the pointer)' },
  { keys: ['A', 'D'], does: 'move earlier, later' },
  { keys: ['←', '→'], does: 'move earlier, later' },
  { keys: ['↑', '↓'], does: 'scroll the lanes' },
  { keys: ['F'], does: 'fit the selection' },
  { keys: ['0'], does: 'show the whole epoch' },
  { keys: ['.', ','], does: 'next, previous mark: stall, preemption, pause, reset, loss' },
  { keys: ['Esc'], does: 'go back to the view before' },
  { keys: ['?'], does: 'this list' },
];

export const HAND: readonly { readonly how: string; readonly does: string }[] = [
  { how: 'Wheel', does: 'zoom at the pointer; with Shift, or sideways, move' },
  { how: 'Drag', does: 'move; in Members also up and down' },
  { how: 'Shift and drag', does: 'select a range' },
  { how: 'Click', does: 'select the step or stall there' },
  { how: 'Drag in the overview', does: 'choose the range shown' },
  { how: 'Two fingers', does: 'zoom' },
];

/** What a key press asks for; null when it is not ours. */
export function keyAction(event: {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}): KeyAction | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return ACTIONS.get(key) ?? null;
}

/** Held keys that move the view for as long as they are down. */
export const MOVES: ReadonlySet<KeyAction> = new Set<KeyAction>(['closer', 'farther', 'left', 'right']);
