export function startClickHouse(): Promise<{ url: string; stop(): Promise<void> }>;
