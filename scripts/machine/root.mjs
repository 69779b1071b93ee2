import { fileURLToPath } from 'node:url';

/** The folder of package.json, absolute. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
