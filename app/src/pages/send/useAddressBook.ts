import { ACL, ParseObject } from "@purse/client";
import { useMoralis, useMoralisQuery } from "@purse/react";

/** Somebody to send to. */
export interface Contact {
  id: string;
  name: string;
  /** As it was written down. */
  address: string;
}

const MOST = 500;

/**
 * The user's address book: objects that nobody else may read. Which of them belong to it stands with the user: anybody
 * may make an object that only this user can read, and nobody else shall put an address into the book. Without a
 * session there is none, and `isOpen` is false.
 */
export function useAddressBook() {
  const { user, isAuthenticated } = useMoralis();
  const listed: unknown = user?.get("contacts");
  const ids = Array.isArray(listed) ? listed.filter((id) => typeof id === "string") : [];
  const found = useMoralisQuery(
    "Contact",
    (query) => query.containedIn("objectId", ids).ascending("name").limit(MOST),
    [ids.join()],
    { autoFetch: isAuthenticated && ids.length > 0 },
  );
  const contacts = (isAuthenticated && ids.length > 0 ? found.data : []).map(
    (row): Contact => ({
      id: row.id ?? "",
      name: String(row.get("name") ?? ""),
      address: String(row.get("address") ?? ""),
    }),
  );

  /** Changes the contact of that id, or adds one. */
  async function save({ id, name, address }: Omit<Contact, "id"> & { id?: string | undefined }) {
    if (!user) throw new Error("Sign in to keep an address book.");
    const row = found.data.find((each) => each.id === id) ?? new ParseObject("Contact");
    row.set("name", name.trim());
    row.set("address", address.trim());
    row.setACL(new ACL(user));
    await row.save();
    if (row.id && !ids.includes(row.id)) {
      user.addUnique("contacts", row.id);
      await user.save();
    } else {
      await found.fetch();
    }
  }

  async function remove(id: string) {
    if (!user) return;
    user.remove("contacts", id);
    await user.save();
    await found.data.find((each) => each.id === id)?.destroy();
  }

  return { isOpen: isAuthenticated, contacts, error: found.error, save, remove };
}
