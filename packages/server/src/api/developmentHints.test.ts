import { ErrorCode, ProtocolError } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { UnauthorizedError } from "../core/unauthorizedError.ts";
import { createHints } from "./developmentHints.ts";

const hintFor = createHints({
  serverUrl: "http://127.0.0.1:1337/server",
  paths: ["/classes/:name", "/login"],
});
const forbidden = (message: string) => new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, message);
const notFound = (path: string) => new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `Not found: ${path}`, 404);

describe("createHints()", () => {
  it.each([
    ["a wrong application id", new UnauthorizedError("applicationId"), "/config.json"],
    ["a wrong master key", new UnauthorizedError("masterKey"), "data/keys.json"],
    ["a wrong key of a client app", new UnauthorizedError("clientKey"), "PURSE_CLIENT_KEY"],
    ["a closed class", forbidden("Permission denied for action find on class Post."), "Post is closed"],
    ["a new field", forbidden("Permission denied for action addField on class Post."), "may not add fields"],
    [
      "a class that does not exist",
      forbidden("This user is not allowed to access non-existent class: Post"),
      "no class Post",
    ],
    [
      "a class for users",
      new ProtocolError(101, "Permission denied, user needs to be authenticated."),
      "sign in",
    ],
  ])("says what to do about %s", (_, error, advice) => {
    expect(hintFor(error, "/server/classes/Post")).toContain(advice);
  });

  it.each(["/classes/Post", "/login"])("names the URL of the Parse API for %s, which lacks it", (path) => {
    expect(hintFor(notFound(path), path)).toBe("The URL of the Parse API is http://127.0.0.1:1337/server.");
  });

  it("gives none for other paths and other errors", () => {
    expect(hintFor(notFound("/logo.png"), "/logo.png")).toBeUndefined();
    expect(hintFor(new ProtocolError(101, "Object not found."), "/server/classes/Post/1")).toBeUndefined();
    expect(hintFor(new Error("Permission denied for action find on class Post."), "/")).toBeUndefined();
  });
});
