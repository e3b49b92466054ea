// Cloud code: functions, triggers and jobs, which Purse reloads when this file changes.

Parse.Cloud.beforeSave("Note", ({ object: note, user }) => {
  if (!user) throw "Sign in to write a note.";
  if (note.get("text").trim() === "") throw "A note needs a text.";
  note.set("author", user.get("ethAddress"));
});
