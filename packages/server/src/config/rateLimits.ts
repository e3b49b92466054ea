import { z } from "zod";

/** A rate limit for a path of the Parse API. */
export interface RateLimit {
  /** Path below the mount path: `/login`, `/functions/:name`, `/classes/*`; `:name` matches a segment, a final `*` the rest. */
  path: string;
  /** Undefined for all methods. */
  methods?: readonly string[] | undefined;
  windowSeconds: number;
  /** Maximum requests in a window. */
  count: number;
  /** Which requests are counted together; those without a session are counted by IP address. */
  by: "ip" | "user" | "session" | "all";
  includeMasterKey: boolean;
  /** Whether requests from cloud code are counted too. */
  includeInternalRequests?: boolean;
  /** Error message for rejected requests, instead of the default. */
  message?: string;
}

/** How many requests a limit allows in a window. */
export const LIMIT_FIELDS = {
  windowSeconds: z
    .int()
    .min(1)
    .max(31 * 86_400),
  count: z.int().min(1).max(1_000_000_000),
};

/** `rateLimits` of the config file. */
export const rateLimitsSchema = z
  .array(
    z.strictObject({
      path: z
        .string()
        .regex(/^(\/(:\w+|[\w.~-]+))*(\/\*)?$/, {
          error: "it must be like /login, /functions/:name or /classes/*",
        })
        .min(1, { error: "it must be like /login, /functions/:name or /classes/*" }),
      methods: z
        .array(z.enum(["GET", "POST", "PUT", "DELETE"]))
        .min(1)
        .optional(),
      ...LIMIT_FIELDS,
      by: z.enum(["ip", "user", "session", "all"]).default("ip"),
      includeMasterKey: z.boolean().default(false),
      includeInternalRequests: z.boolean().optional(),
      message: z.string().min(1).optional(),
    }),
  )
  .default([]) satisfies z.ZodType<RateLimit[]>;
