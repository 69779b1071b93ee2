/** Messages between the page and the session worker. */

export interface Question {
  id: number;
  method: string;
  parameters: unknown[];
}

export type Answer = { id: number; value: unknown } | { id: number; why: string };

export type SessionReply =
  | { type: 'ready'; module: WebAssembly.Module }
  | { type: 'broken'; why: string }
  | ({ type: 'answer' } & Answer);
