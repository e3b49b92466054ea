import { useMoralis } from "@purse/react";
import { type Command, shortAddress, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useClasses } from "../pages/data/useClasses.ts";
import { useAddressBook } from "../pages/send/useAddressBook.ts";
import { useServerQuery } from "../query/useServerQuery.ts";
import { readHoldings } from "../wallet/holdings.ts";
import { useAddress } from "../wallet/useAddress.ts";

/** What the command palette finds of one's own: contacts, tokens and classes. Loaded when it is opened. */
export function FoundCommands({ onFound }: { onFound: (commands: readonly Command[]) => void }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const navigate = useNavigate();
  const { address, chain } = useAddress();
  const { contacts } = useAddressBook();
  const classes = useClasses();
  const own = address?.toLowerCase();
  const holdings = useServerQuery({
    queryKey: own && chain ? ["holdings", own, chain.hexId] : undefined,
    queryFn: (options) =>
      own && chain ? readHoldings(Moralis.Web3API, own, chain, options) : Promise.resolve([]),
  });
  const commands: Command[] = [
    ...contacts.map((contact) => ({
      key: `contact ${contact.id}`,
      label: t("Send to {name}", { name: contact.name.slice(0, 80) }),
      hint: shortAddress(contact.address),
      run: () => void navigate({ to: "/send", search: { to: contact.address } }),
    })),
    ...(holdings.data ?? []).flatMap((asset): Command[] =>
      asset.address === null
        ? []
        : [
            {
              key: `token ${asset.address}`,
              label: `${asset.name.slice(0, 40)} (${asset.symbol.slice(0, 16)})`,
              hint: t("Token"),
              run: () =>
                void navigate({ to: "/explorer/token/$address", params: { address: asset.address ?? "" } }),
            },
          ],
    ),
    ...(classes.data ?? []).map(({ className }) => ({
      key: `class ${className}`,
      label: className,
      hint: t("Class"),
      run: () => void navigate({ to: "/data", search: { class: className } }),
    })),
  ];
  const keys = commands.map(({ key, label }) => `${key} ${label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the commands change with their keys.
  useEffect(() => onFound(commands), [keys, onFound]);
  return null;
}
