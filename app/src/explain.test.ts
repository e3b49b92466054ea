import { expect, it } from "vitest";
import { explain } from "./explain.ts";

it.each([
  [{ code: 4001, message: "User rejected" }, "Declined in the wallet"],
  [{ code: 202, message: "Account already exists for this username." }, "This username is taken"],
  [{ code: 100, message: "XMLHttpRequest failed" }, "The server cannot be reached"],
  [new Error("Non ethereum enabled browser"), "No wallet found"],
  [["receiver is required"], "That did not work"],
  [undefined, "That did not work"],
])("explains %j", (error, title) => {
  expect(explain(error).title).toBe(title);
});

it("keeps the server's words where there are none better", () => {
  expect(explain({ code: 101, message: "Invalid username/password." }).detail).toBe(
    "Invalid username/password.",
  );
});
