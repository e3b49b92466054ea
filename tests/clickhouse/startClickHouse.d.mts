export function startClickHouse(options?: {
  folder?: string | undefined;
}): Promise<{ url: string; stop(): Promise<void> }>;
