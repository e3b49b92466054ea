import { useMoralis } from "@purse/react";
import { useTranslation } from "@purse/ui";
import { useServerQuery } from "../query/useServerQuery.ts";
import { addressLabel } from "./addressLabels.ts";

const ZERO = `0x${"0".repeat(40)}`;

/**
 * The label of an address (lower-case hex): the user's wallet, a contact, its name, or its token. `contact` is the name
 * of a contact with this address.
 */
export function useAddressLabel(
  address: string,
  chain: string,
  contact: string | undefined,
): string | undefined {
  const { t } = useTranslation();
  const { account } = useMoralis();
  const isZero = address === ZERO;
  const { data } = useServerQuery({
    queryKey: isZero ? undefined : ["address label", chain, address],
    queryFn: () => addressLabel(chain, address),
  });
  if (isZero) return t("Zero address");
  if (account?.toLowerCase() === address) return t("Your wallet");
  if (contact !== undefined) return contact;
  if (data?.name) return data.name;
  return data?.token ? t("Token {symbol}", { symbol: data.token }) : undefined;
}
