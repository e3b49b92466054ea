/** Without punctuation that means something in URLs, in quoted texts or in the ACL columns of SQLite. */
const OBJECT_ID = /^(?!role:|userField:)[0-9A-Za-z_:+$=@~!-][0-9A-Za-z_:+$=@~!.-]{0,127}$/;

/** Whether a text can be the id of an object: chosen by a client, or that of a user in an ACL or in permissions. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text) && text !== "__proto__";
}
