import { expect, it } from "vitest";
import { explain } from "./explain.ts";

it.each([
  [{ code: 4001, message: "User rejected" }, "Request rejected in wallet"],
  [{ code: 202, message: "Account already exists for this username." }, "Username already taken"],
  [{ code: 100, message: "XMLHttpRequest failed" }, "Can't reach the server"],
  [new Error("Non ethereum enabled browser"), "No wallet found"],
  [["receiver is required"], "Something went wrong"],
  [undefined, "Something went wrong"],
])("explain() explains %j", (error, title) => {
  expect(explain(error).title).toBe(title);
});

it.each([
  [100, 'XMLHttpRequest failed: "Failed to fetch"', "Can't reach the server"],
  [100, 'chain "sepolia" is not available: fetch failed', "This chain is currently unavailable"],
  [100, 'the node of chain "sepolia" failed: timeout', "This chain is currently unavailable"],
  [100, "The IPFS node failed: fetch failed", "IPFS is currently unavailable"],
  [100, "The request was cut off", "Upload interrupted"],
  [101, "Invalid username/password.", "Wrong username or password"],
  [101, "The password is wrong.", "Wrong password"],
  [101, "Your account is locked due to multiple failed login attempts.", "Too many failed attempts"],
  [101, "Your password has expired. Please reset your password.", "Your password has expired"],
  [101, "Permission denied, user needs to be authenticated.", "You are not signed in"],
  [101, "Wallet sign-in was refused: the nonce has expired.", "Sign-in rejected"],
  [101, "Object not found.", "Not found"],
  [101, "The upload does not exist: start it again.", "Not found"],
  [206, "Cannot modify user abc.", "Not allowed"],
  [206, "Session missing.", "You are not signed in"],
  [130, "Invalid file upload.", "The file is empty"],
  [130, "File upload of extension svg is disabled.", "This server does not accept files of this type"],
  [130, "File size exceeds maximum allowed: 20971520 bytes.", "The file is too large"],
  [130, "File upload by authenticated user is disabled.", "This server does not accept files from you"],
  [141, "Invalid MFA token", "Wrong code"],
  [141, "The cloud code failed.", "Something went wrong"],
])("explain() explains code %i by its message: %s", (code, message, title) => {
  expect(explain({ code, message }).title).toBe(title);
});

it("explain() keeps the server's message if it has no better one", () => {
  const message = "The upload does not exist: start it again.";
  expect(explain({ code: 101, message }).detail).toBe(message);
});

it("explain() shows no code for a timeout of the browser", () => {
  const timeout = new DOMException("signal timed out", "TimeoutError");
  expect(explain(timeout)).toMatchObject({
    title: "The server is taking too long to respond",
    code: undefined,
  });
});
