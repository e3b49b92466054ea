import { useMoralis } from "@purse/react";
import { type Command, filterCommands, shortAddress, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { BookUser, Coins, Compass, Table2 } from "lucide-react";
import { useEffect } from "react";
import { useClasses } from "../pages/data/useClasses.ts";
import { type Suggestion, searchSuggestions, suggestions } from "../pages/explorer/suggestions.ts";
import { useAddressBook } from "../pages/send/useAddressBook.ts";
import { useServerQuery } from "../query/useServerQuery.ts";
import { readHoldings } from "../wallet/holdings.ts";
import { useAddress } from "../wallet/useAddress.ts";

/** Finds commands for a text: before those of the app, and after them. */
export interface FoundSearch {
  suggest: (query: string) => Command[];
  fallback: (query: string) => Command[];
}

/** Own contacts, tokens and classes that are shown at most. */
const MAX_FOUND = 12;

/** Finds what the explorer suggests, and one's own contacts, tokens and classes. Loaded when the palette is opened. */
export function FoundCommands({ onFound }: { onFound: (search: FoundSearch) => void }) {
  const texts = useTranslation();
  const { t } = texts;
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
      group: t("Address book"),
      icon: BookUser,
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
              group: t("Tokens"),
              icon: Coins,
              run: () =>
                void navigate({ to: "/explorer/token/$address", params: { address: asset.address ?? "" } }),
            },
          ],
    ),
    ...(classes.data ?? []).map(({ className }) => ({
      key: `class ${className}`,
      label: className,
      hint: t("Class"),
      group: t("Classes"),
      icon: Table2,
      run: () => void navigate({ to: "/data", search: { class: className } }),
    })),
  ];
  const keys = commands.map(({ key, label }) => `${key} ${label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the commands change with their keys.
  useEffect(() => {
    const explore = (found: readonly Suggestion[]) =>
      found.map(({ key, label, to }) => ({
        key: `explorer ${key}`,
        label,
        group: t("Explorer"),
        icon: Compass,
        run: () => void navigate({ href: to }),
      }));
    onFound({
      suggest: (query) => explore(suggestions(query, texts)),
      fallback: (query) => [
        ...(query.trim() === "" ? [] : filterCommands(commands, query).slice(0, MAX_FOUND)),
        ...explore(searchSuggestions(query, texts)),
      ],
    });
  }, [keys, onFound, navigate, texts, t]);
  return null;
}
