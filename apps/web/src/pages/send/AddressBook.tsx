import {
  Address,
  Button,
  Dialog,
  EmptyState,
  ErrorState,
  Field,
  Form,
  IconButton,
  QueryState,
  requiredText,
  useAction,
  useForm,
  useToast,
  useTranslation,
  useUnsaved,
} from "@purse/ui";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import * as z from "zod/mini";
import { recipientProblem } from "../../money/recipient.ts";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { RECIPIENT_PROBLEMS } from "./recipientProblems.ts";
import type { Contact, useAddressBook } from "./useAddressBook.ts";

export interface AddressBookProps {
  book: ReturnType<typeof useAddressBook>;
  /** The address typed on the page. */
  typedAddress: string;
  onChoose: (address: string) => void;
  onClose: () => void;
}

/** The address book: select, add, edit and remove contacts. */
export function AddressBook({ book, typedAddress, onChoose, onClose }: AddressBookProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [edited, setEdited] = useState<Partial<Contact>>();
  const [error, setError] = useState<unknown>();
  async function remove(contact: Contact) {
    try {
      await book.remove(contact.id);
      toast(t("{who} removed from address book", { who: contact.name }), {
        label: t("Undo"),
        run: () => void book.save({ name: contact.name, address: contact.address }),
      });
    } catch (problem) {
      setError(problem);
    }
  }
  return (
    <Dialog open side onClose={onClose} title={t("Address book")} description={t("Only visible to you.")}>
      <div className="stack">
        {error !== undefined && <ErrorState error={error} />}
        {edited ? (
          <ContactForm
            contact={edited}
            onSave={async (contact) => {
              await book.save(contact);
              setEdited(undefined);
            }}
            onCancel={() => setEdited(undefined)}
          />
        ) : (
          <Button
            variant="primary"
            onClick={() => setEdited({ address: typedAddress.startsWith("0x") ? typedAddress : "" })}
          >
            {t("Add contact")}
          </Button>
        )}
        <QueryState query={book.book} label={t("Loading address book")}>
          {(contacts) =>
            contacts.length === 0 ? (
              <EmptyState title={t("No contacts yet")}>{t("Save people you send to often.")}</EmptyState>
            ) : (
              <ul className="list">
                {contacts.map((contact) => (
                  <li key={contact.id} className="contact">
                    <button type="button" className="asset-name" onClick={() => onChoose(contact.address)}>
                      <bdi className="clip">{contact.name.slice(0, 80)}</bdi>
                      <Address address={contact.address} short />
                    </button>
                    <IconButton
                      icon={Pencil}
                      label={t("Edit {who}", { who: contact.name })}
                      onClick={() => setEdited(contact)}
                    />
                    <IconButton
                      icon={Trash2}
                      label={t("Remove {who}", { who: contact.name })}
                      onClick={() => void remove(contact)}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </QueryState>
      </div>
    </Dialog>
  );
}

interface ContactFormProps {
  contact: Partial<Contact>;
  onSave: (contact: Omit<Contact, "id"> & { id?: string | undefined }) => Promise<void>;
  onCancel: () => void;
}

function ContactForm({ contact, onSave, onCancel }: ContactFormProps) {
  const { t } = useTranslation();
  const checksumOf = useChecksum();
  const schema = z.object({
    name: requiredText("Enter a name."),
    address: z.string().check(({ value, issues }) => {
      const problem = recipientProblem(value, checksumOf);
      if (problem) issues.push({ code: "custom", message: RECIPIENT_PROBLEMS[problem], input: value });
    }),
  });
  const form = useForm(schema, { name: contact.name ?? "", address: contact.address ?? "" });
  const { run, busy, error } = useAction(onSave);
  useUnsaved(form.isDirty);
  return (
    <Form
      form={form}
      onSubmit={({ name, address }) => run({ id: contact.id, name, address: checksumOf(address.trim()) })}
      submitLabel={t("Save")}
      variant="primary"
      {...{ busy, error }}
      label={t("Contact")}
      buttons={<Button onClick={onCancel}>{t("Cancel")}</Button>}
    >
      <Field label={t("Name")} maxLength={80} {...form.input("name")} />
      <Field label={t("Address")} {...form.input("address")} isCode />
    </Form>
  );
}
