import { ACL, ParseObject, Query } from "@purse/client";
import { useMoralis } from "@purse/react";
import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** A contact in the address book. */
export interface Contact {
  id: string;
  name: string;
  /** The address as entered. */
  address: string;
}

const MAX_CONTACTS = 500;

/**
 * The user's address book. Contacts are private objects whose IDs are stored in the user, because anyone can create an
 * object that only this user can read and could so add a contact. Without a session `isOpen` is false and there are
 * no contacts.
 */
export function useAddressBook() {
  const { user, isAuthenticated } = useMoralis();
  const userId = isAuthenticated ? user?.id : undefined;
  const listed: unknown = user?.get("contacts");
  const ids = Array.isArray(listed) ? listed.filter((id) => typeof id === "string") : [];
  const found = useServerQuery({
    queryKey: userId === undefined ? undefined : ["contacts", userId, ids],
    async queryFn({ signal }) {
      if (ids.length === 0) return [];
      const query = new Query<ParseObject>("Contact").containedIn("objectId", ids).ascending("name");
      return query.limit(MAX_CONTACTS).find({ signal });
    },
    keepPrevious: "always",
    isMutable: true,
  });
  const book: QueryResult<Contact[]> = { ...found, data: found.data?.map(contactOf) };

  /** Updates the contact with the ID, or adds one. */
  async function save({ id, name, address }: Omit<Contact, "id"> & { id?: string | undefined }) {
    if (!user) throw new Error("Sign in to use the address book.");
    const row = found.data?.find((each) => each.id === id) ?? new ParseObject("Contact");
    row.set("name", name.trim());
    row.set("address", address.trim());
    row.setACL(new ACL(user));
    await row.save();
    if (row.id && !ids.includes(row.id)) {
      user.addUnique("contacts", row.id);
      await user.save();
    } else {
      await found.refetch();
    }
  }

  async function remove(id: string) {
    if (!user) return;
    user.remove("contacts", id);
    await user.save();
    await found.data?.find((each) => each.id === id)?.destroy();
  }

  /** `contacts` are those loaded so far; `book` is their query. */
  return { isOpen: userId !== undefined, book, contacts: book.data ?? [], save, remove };
}

function contactOf(row: ParseObject): Contact {
  return { id: row.id ?? "", name: String(row.get("name") ?? ""), address: String(row.get("address") ?? "") };
}
