import type { JsonObject, JsonValue } from "@purse/protocol";
import { createSecret, openOperators, type Store } from "@purse/server";
import { UsageError } from "./usageError.ts";

/** Executes `operator …` and returns its output as text and as JSON. Throws Error with a user-facing message. */
export async function runOperatorCommand(
  store: Store,
  [action, username, ...others]: string[],
  values: { role?: string; password?: string },
): Promise<{ text: string; json: JsonValue }> {
  if (others[0] !== undefined) throw new UsageError(`operator ${action} takes no "${others[0]}"`);
  const operators = await openOperators(store);
  if (action === "list") {
    const all = await operators.list();
    return { text: table(all), json: JSON.parse(JSON.stringify(all)) };
  }
  if (username === undefined) throw new UsageError(`operator ${action ?? ""} takes the name of an operator`);
  const password = values.password ?? createSecret(15);
  const passwordNotice =
    values.password === undefined
      ? `Password: ${password}\n\nIt is not kept, so it cannot be shown again.`
      : "";
  const generated: JsonObject = values.password === undefined ? { password } : {};
  switch (action) {
    case "add": {
      const { role } = await operators.add({ username, password, role: values.role ?? "owner" });
      return {
        text: `${username}: ${role}\n${passwordNotice}`.trim(),
        json: { username, role, ...generated },
      };
    }
    case "reset":
      await operators.reset(username, password);
      return {
        text: `${username}: has a new password, no second factor and no session\n${passwordNotice}`.trim(),
        json: { username, ...generated },
      };
    case "remove":
      await operators.remove(username);
      return { text: `${username}: removed`, json: { username } };
    default:
      throw new UsageError("operator takes add, list, reset or remove");
  }
}

function table(operators: Awaited<ReturnType<Awaited<ReturnType<typeof openOperators>>["list"]>>): string {
  if (operators.length === 0) return "There are no operators.";
  return operators
    .map(({ username, role, hasSecondFactor, isDisabled, lastSignInAt }) =>
      [
        username.padEnd(24),
        role.padEnd(9),
        hasSecondFactor ? "second factor" : "password only",
        isDisabled ? "disabled" : "",
        lastSignInAt === undefined ? "never signed in" : `signed in ${lastSignInAt}`,
      ]
        .filter((cell) => cell !== "")
        .join("  "),
    )
    .join("\n");
}
