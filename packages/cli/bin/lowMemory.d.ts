export const lowMemory: { flags: string[]; env: Record<string, string> };
