import { createSecret, openOperators, type Store } from "@purse/server";

/** Executes `operator …` and returns its output. Throws Error with a user-facing message. */
export async function runOperatorCommand(
  store: Store,
  [action, username, ...others]: string[],
  values: { role?: string; password?: string },
): Promise<string> {
  if (others[0] !== undefined) throw new Error(`operator ${action} takes no "${others[0]}"`);
  const operators = await openOperators(store);
  if (action === "list") return table(await operators.list());
  if (username === undefined) throw new Error(`operator ${action ?? ""} takes the name of an operator`);
  const password = values.password ?? createSecret(15);
  const passwordNotice =
    values.password === undefined
      ? `Password: ${password}\n\nIt is not kept, so it cannot be shown again.`
      : "";
  switch (action) {
    case "add": {
      const { role } = await operators.add({ username, password, role: values.role ?? "owner" });
      return `${username}: ${role}\n${passwordNotice}`.trim();
    }
    case "reset":
      await operators.reset(username, password);
      return `${username}: has a new password, no second factor and no session\n${passwordNotice}`.trim();
    case "remove":
      await operators.remove(username);
      return `${username}: removed`;
    default:
      throw new Error("operator takes add, list, reset or remove");
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
