export const root: string;
export const node: string;
export function run(command: string, args: string[], options?: object): void;
export function ensureInstalled(folder?: string, what?: string): void;
