/*
 * Cloud code. `npm start` loads this file; PURSE_CLOUD selects another one. `Parse`
 * (and its alias `Moralis`) is a global. There is no current user here: a call that
 * needs a user's permissions passes `{ sessionToken }`, one that bypasses permissions `{ useMasterKey: true }`.
 */
import type {} from "@purse/server";

const MAX_NOTE_LENGTH = 280;

/** `Parse.Cloud.run("hello", { name: "Ada" })` → `Hello, Ada!` */
Parse.Cloud.define("hello", ({ params, user }) => {
  const name = params.name ?? user?.getUsername() ?? "stranger";
  if (typeof name !== "string") throw "name must be a text";
  return `Hello, ${name}!`;
});

/** `Parse.Cloud.run("noteCount")` → `{ all, open }`: how many notes the caller can see. */
Parse.Cloud.define("noteCount", async ({ user }) => {
  const sessionToken = user?.getSessionToken();
  const options = sessionToken ? { sessionToken } : {};
  const [all, open] = await Promise.all([
    new Parse.Query("Note").count(options),
    new Parse.Query("Note").notEqualTo("done", true).count(options),
  ]);
  return { all, open };
});

/** A note has a text, belongs to its author, and is readable by everyone. */
Parse.Cloud.beforeSave("Note", ({ object: note, user, master }) => {
  if (!user && !master) throw new Parse.Error(Parse.ErrorCode.SESSION_MISSING, "Sign in to write a note");

  const text = note.get("text");
  if (typeof text !== "string" || text.trim() === "") {
    throw new Parse.Error(Parse.ErrorCode.VALIDATION_ERROR, "A note needs a text");
  }
  if (text.length > MAX_NOTE_LENGTH) {
    throw new Parse.Error(
      Parse.ErrorCode.VALIDATION_ERROR,
      `A note can have ${MAX_NOTE_LENGTH} characters at most`,
    );
  }

  if (!user) return;
  if (!note.isNew()) {
    note.revert("author");
    return;
  }
  note.set("author", user.get("ethAddress") ?? user.getUsername());
  note.set("done", note.get("done") === true);
  if (!note.getACL()) {
    const acl = new Parse.ACL(user);
    acl.setPublicReadAccess(true);
    note.setACL(acl);
  }
});
