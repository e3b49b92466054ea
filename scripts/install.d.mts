export const root: string;
export const node: string;
export function run(command: string, args: string[], options?: object): void;
export function ensureInstalled(folder?: string, what?: string): void;
/** Flags of Node.js and variables of a server's process that keep its memory small. */
export const lowMemory: { flags: string[]; env: Record<string, string> };
/** Variables that enable the compile cache of Node.js. */
export const compiled: Record<string, string>;
