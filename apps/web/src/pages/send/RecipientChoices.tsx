import { Address, useTranslation } from "@purse/ui";
import { useId } from "react";
import type { Contact } from "./useAddressBook.ts";

/** Choices shown at most. */
const MAX_CHOICES = 6;

export interface RecipientChoicesProps {
  contacts: readonly Contact[];
  /** Addresses that got something from this wallet before, the latest first. */
  recents: readonly string[];
  /** What is typed so far: choices contain it. */
  text: string;
  onChoose: (address: string) => void;
}

/** Contacts and recent recipients, to choose one without typing an address. */
export function RecipientChoices({ contacts, recents, text, onChoose }: RecipientChoicesProps) {
  const { t } = useTranslation();
  const id = useId();
  const choices = recipientChoices(contacts, recents, text).slice(0, MAX_CHOICES);
  if (choices.length === 0) return null;
  return (
    <div className="stack tight">
      <span id={id} className="small soft">
        {t("Suggestions")}
      </span>
      <ul className="recipient-choices" aria-labelledby={id}>
        {choices.map(({ address, name }) => (
          <li key={address}>
            <button type="button" className="chip recipient-choice" onClick={() => onChoose(address)}>
              {name !== undefined && <bdi className="clip strong">{name.slice(0, 40)}</bdi>}
              <Address address={address} short />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Contacts first, then recent recipients that are none; only those that contain the text, none if one is it. */
export function recipientChoices(
  contacts: readonly Contact[],
  recents: readonly string[],
  text: string,
): { address: string; name: string | undefined }[] {
  const searched = text.trim().toLowerCase();
  const known = new Set(contacts.map(({ address }) => address.toLowerCase()));
  const all = [
    ...contacts.map(({ address, name }): { address: string; name: string | undefined } => ({
      address,
      name,
    })),
    ...recents
      .filter((address) => !known.has(address.toLowerCase()))
      .map((address) => ({ address, name: undefined })),
  ];
  if (all.some(({ address }) => address.toLowerCase() === searched)) return [];
  return all.filter(
    ({ address, name }) => address.toLowerCase().includes(searched) || name?.toLowerCase().includes(searched),
  );
}
