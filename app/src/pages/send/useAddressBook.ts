import { ACL, ParseObject, Query } from "@purse/client";
import { useMoralis } from "@purse/react";
import type { QueryResult } from "../../design/QueryState.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** Somebody to send to. */
export interface Contact {
  id: string;
  name: string;
  /** As it was written down. */
  address: string;
}

const MAX_CONTACTS = 500;

/**
 * The user's address book: objects that nobody else may read. Which of them belong to it stands with the user: anybody
 * may make an object that only this user can read, and nobody else shall put an address into the book. Without a
 * session there is none, and `isOpen` is false.
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

  /** Changes the contact of that id, or adds one. */
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

  /** `contacts` are those that are known; `book` tells whether these are all. */
  return { isOpen: userId !== undefined, book, contacts: book.data ?? [], save, remove };
}

function contactOf(row: ParseObject): Contact {
  return {
    id: row.id ?? "",
    name: String(row.get("name") ?? ""),
    address: String(row.get("address") ?? ""),
  };
}
