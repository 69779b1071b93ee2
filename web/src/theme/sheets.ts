/** Rules that more than one element shares. */

import { css } from 'lit';

export const basics = css`
  :host {
    box-sizing: border-box;
    color: var(--ink);
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before,
  *::after {
    box-sizing: inherit;
  }
  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }
  a,
  .link {
    color: var(--link);
  }
  .muted {
    color: var(--muted);
  }
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;

export const controls = css`
  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 1px solid var(--edge);
    border-radius: 5px;
    padding: 3px 10px;
    cursor: pointer;
  }
  button:hover {
    background: var(--chosen);
  }
  button.primary {
    background: var(--ink);
    border-color: var(--ink);
    color: var(--ground);
    font-weight: 600;
  }
  button.quiet {
    border-color: transparent;
    padding: 2px 6px;
    color: var(--muted);
  }
  button.quiet:hover,
  button.quiet:focus-visible {
    color: var(--ink);
  }
  button.inline {
    border: 0;
    padding: 0;
    border-radius: 2px;
    color: inherit;
    text-decoration: underline;
    text-decoration-color: var(--edge);
    text-decoration-thickness: 1px;
    text-underline-offset: 3px;
  }
  button.inline:hover {
    background: none;
    text-decoration-color: currentColor;
  }
  kbd {
    font: inherit;
    font-size: 12px;
    border: 1px solid var(--edge);
    border-radius: 4px;
    padding: 0 5px;
  }
`;

export const dialogs = css`
  dialog {
    color: var(--ink);
    background: var(--ground);
    border: 1px solid var(--edge);
    border-radius: 8px;
    padding: 18px 20px 20px;
    max-width: min(860px, calc(100vw - 32px));
    max-height: calc(100vh - 64px);
    overflow: auto;
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 35%);
  }
  h2 {
    font-size: 15px;
    margin: 0 0 12px;
  }
`;
