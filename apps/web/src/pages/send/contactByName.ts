import type { Contact } from "./useAddressBook.ts";

/** The contact with a name, in any case; undefined if there are several or none. */
export function contactByName(contacts: readonly Contact[], text: string): Contact | undefined {
  const name = text.trim().toLowerCase();
  if (name === "") return undefined;
  const found = contacts.filter((contact) => contact.name.trim().toLowerCase() === name);
  return found.length === 1 ? found[0] : undefined;
}
