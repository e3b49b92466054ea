import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { jsonObject, routeOf } from "../../core/http/endpoint.ts";
import type { StudioFinding } from "../../studioApi/security.ts";

export interface SecurityRouteDependencies {
  isEnabled: boolean;
  /** Finds insecure settings and permissions. */
  findings(): Promise<readonly StudioFinding[]>;
}

/** The groups of the report, by the first part of the IDs of their findings. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Keys: ["keys"],
  Settings: ["tls", "classes", "passwords", "metrics", "data", "files"],
  "Outbound requests": ["outbound"],
  "Operators of the studio": ["operator"],
  "Class-level permissions": ["class"],
};

const ENDPOINT = {
  method: "GET",
  path: "/security",
  access: "masterKey",
  heading: "Server",
  summary: "Insecure settings and permissions",
  schemas: () => ({
    response: z.object({
      report: z.object({
        version: z.string(),
        state: z.enum(["success", "fail"]),
        groups: z.array(jsonObject()),
      }),
    }),
  }),
  errors: { 409: "Not enabled (108)" },
} as const;

/** The findings of the studio's security check, in the format of Parse Dashboard. */
export function securityRoute({ isEnabled, findings }: SecurityRouteDependencies): ApiRoute {
  return routeOf(ENDPOINT, async () => {
    if (!isEnabled) {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        "Set PURSE_ENABLE_SECURITY_CHECK=1 to run the security check.",
        409,
      );
    }
    const found = await findings();
    const groups = Object.entries(GROUPS).map(([name, prefixes]) =>
      groupOf(
        name,
        found.filter(({ id }) => prefixes.includes(id.split(".", 1)[0] ?? "")),
      ),
    );
    return { report: { version: "1.0.0", state: stateOf(found), groups } };
  });
}

function groupOf(name: string, found: readonly StudioFinding[]): JsonObject {
  const failed = found.map(({ title, advice }) => ({
    title,
    state: "fail",
    warning: `${title}.`,
    solution: advice,
  }));
  const passed = [{ title: "No insecure settings found", state: "success" }];
  return { name, state: stateOf(found), checks: failed.length > 0 ? failed : passed };
}

function stateOf(found: readonly StudioFinding[]): "success" | "fail" {
  return found.length === 0 ? "success" : "fail";
}
