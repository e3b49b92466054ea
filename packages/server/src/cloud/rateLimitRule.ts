/** Rate limit of a function or trigger; requests beyond it are rejected with 155. */
export interface RateLimitRule {
  /** In ms. */
  requestTimeWindow: number;
  /** Requests per time window. */
  requestCount: number;
  /** Replaces "Too many requests." */
  errorResponseMessage?: string;
  requestMethods?: string | readonly string[];
  /** Whether requests with the master key count. */
  includeMasterKey?: boolean;
  /** Whether requests of cloud code count. */
  includeInternalRequests?: boolean;
  /** Whose requests are counted together; by IP address by default. */
  zone?: "ip" | "user" | "session" | "global";
}

const CHECKS: Readonly<Record<keyof RateLimitRule, (value: unknown) => boolean>> = {
  requestTimeWindow: (value) => isInteger(value, 31 * 86_400_000),
  requestCount: (value) => isInteger(value, 1_000_000_000),
  errorResponseMessage: (value) => typeof value === "string",
  requestMethods: (value) => methodsOf(value)?.every((method) => METHODS.has(method)) ?? true,
  includeMasterKey: (value) => typeof value === "boolean",
  includeInternalRequests: (value) => typeof value === "boolean",
  zone: (value) => typeof value === "string" && Object.hasOwn(ZONES, value),
};

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"]);

/** Whose requests are counted together, as rate limits call it, by zone. */
export const ZONES = { ip: "ip", user: "user", session: "session", global: "all" } as const;

/** Throws Error for an invalid rule. */
export function assertRateLimitRule(name: string, rule: unknown): void {
  const entries = new Map(Object.entries(Object(rule)));
  for (const [key, value] of entries) {
    const isValid = Object.entries(CHECKS).find(([known]) => known === key)?.[1];
    if (!isValid) throw new Error(`The validator of ${name}: Invalid rate limit option "${key}"`);
    if (value !== undefined && !isValid(value))
      throw new Error(`The validator of ${name}: rateLimit.${key} cannot be ${JSON.stringify(value)}`);
  }
  if (!entries.has("requestTimeWindow") || !entries.has("requestCount"))
    throw new Error(`The validator of ${name}: rateLimit needs requestTimeWindow and requestCount`);
}

/** The methods of a rule; undefined for all. */
export function methodsOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

function isInteger(value: unknown, max: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max;
}
