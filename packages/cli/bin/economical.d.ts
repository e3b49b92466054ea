export const economical: { flags: string[]; env: Record<string, string> };
