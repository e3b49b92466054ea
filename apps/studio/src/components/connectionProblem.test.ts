import { expect, it } from "vitest";
import { connectionProblem } from "./connectionProblem.ts";

it.each([
  ["connect ECONNREFUSED 127.0.0.1:9", "Connection refused"],
  ["getaddrinfo ENOTFOUND nowhere.example", "The host name was not found"],
  [
    "requests to private addresses are not allowed: PURSE_ALLOW_PRIVATE_HOOKS=1 allows them",
    "The address is private",
  ],
  ["The operation was aborted due to timeout", "No response within the time limit"],
  ["socket hang up", "closed the connection"],
  ["self-signed certificate", "certificate"],
  ["it responded with a redirect (302), which is not followed", "redirect"],
  ["The response is not JSON.", "not JSON"],
])("connectionProblem() explains %j", (error, meaning) => {
  expect(connectionProblem(error)).toContain(meaning);
});

it("connectionProblem() has nothing to say about other errors", () => {
  expect(connectionProblem("it is raining")).toBeUndefined();
});
