import { Menu } from "@base-ui/react/menu";
import { useMoralis } from "@purse/react";
import { Address, Status, shortAddress, useToast, useTranslation } from "@purse/ui";
import { Link, useNavigate } from "@tanstack/react-router";
import { Copy, ExternalLink, LogOut, Unplug, UserRound, Wallet, WalletCards } from "lucide-react";
import { stringField } from "../components/stringField.ts";
import { useServerQuery } from "../query/useServerQuery.ts";
import { useConnectWallet } from "../wallet/ConnectWallet.tsx";
import { lookupAddress } from "../wallet/domainNames.ts";
import { isOtherAccount } from "../wallet/otherAccount.ts";
import { pictureUrl, UserPicture } from "../wallet/UserPicture.tsx";
import { isRandomUsername } from "../wallet/userNames.ts";
import "./AccountMenu.css";

/** Shows the signed-in user and the connected wallet, which may be of another account, with their actions. */
export function AccountMenu() {
  const { t } = useTranslation();
  const { user, account, isWeb3Enabled, deactivateWeb3, logout, isLoggingOut } = useMoralis();
  const connect = useConnectWallet();
  const toast = useToast();
  const navigate = useNavigate();
  const displayName = stringField(user?.get("displayName")).trim().slice(0, 40);
  const primary = stringField(user?.get("ethAddress"));
  /** What stands for the user: the primary address, whatever account the wallet uses. */
  const identity = primary || (account ?? "");
  const address = account ?? primary;
  const isOther = user !== null && account !== null && primary !== "" && account !== primary.toLowerCase();
  const nameOfAddress = useNameOf(displayName === "" ? identity : "");
  const ownName = displayName || nameOfAddress;
  const username = stringField(user?.get("username"));
  const chosenName =
    isRandomUsername(username) && identity !== "" ? ownName || shortAddress(identity) : username;
  const name = user ? displayName || chosenName : t("Not signed in");
  async function copy() {
    try {
      await navigator.clipboard.writeText(address);
      toast(t("Address copied"));
    } catch {
      toast(t("Your browser blocked copying: {address}", { address }));
    }
  }
  return (
    <Menu.Root>
      <Menu.Trigger className="button" aria-label={user ? t("Account menu") : t("Wallet menu")}>
        {ownName || pictureUrl(user) ? (
          <span className="row tight-row">
            <UserPicture user={user} address={identity || (user?.id ?? "")} size={20} />
            <bdi className="clip account-name">{ownName || name}</bdi>
          </span>
        ) : identity ? (
          <Address address={identity} short />
        ) : (
          <bdi className="clip account-name">{name}</bdi>
        )}
        {isOther && (
          <span className="row tight-row active-wallet" title={t("Connected wallet")}>
            <Wallet size={15} aria-hidden="true" />
            <Address address={account} short />
          </span>
        )}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu account-menu">
            <div className="account-head">
              <UserPicture user={user} address={identity || (user?.id ?? "")} size={40} />
              <span>
                {user && <span className="soft small">{t("Signed in as")}</span>}
                <strong>
                  <bdi className="clip">{name}</bdi>
                </strong>
                {primary !== "" && <Address address={primary} short />}
              </span>
            </div>
            <div className="account-head">
              <Wallet size={20} aria-hidden="true" />
              <span>
                <span className="soft small">
                  {account !== null
                    ? t("Wallet connected")
                    : isWeb3Enabled
                      ? t("Wallet locked")
                      : t("No wallet connected")}
                </span>
                {account !== null && <Address address={account} short />}
                {isOtherAccount(user, account) && (
                  <Status kind="warning">{t("Not linked to your account")}</Status>
                )}
              </span>
            </div>
            {user && (
              <Menu.Item className="menu-item" render={<Link to="/account" search={{}} />}>
                <UserRound size={16} aria-hidden="true" />
                {t("Account")}
              </Menu.Item>
            )}
            <Menu.Item className="menu-item" render={<Link to="/portfolio" search={{}} />}>
              <WalletCards size={16} aria-hidden="true" />
              {t("Portfolio")}
            </Menu.Item>
            {address !== "" && (
              <>
                <Menu.Item className="menu-item" onClick={() => void copy()}>
                  <Copy size={16} aria-hidden="true" />
                  {t("Copy address")}
                </Menu.Item>
                <Menu.Item
                  className="menu-item"
                  onClick={() => void navigate({ href: `/explorer/address/${address}` })}
                >
                  <ExternalLink size={16} aria-hidden="true" />
                  {t("View in explorer")}
                </Menu.Item>
              </>
            )}
            {account === null && (
              <Menu.Item className="menu-item" onClick={connect}>
                <Wallet size={16} aria-hidden="true" />
                {t("Connect wallet")}
              </Menu.Item>
            )}
            {isWeb3Enabled && (
              <Menu.Item className="menu-item" onClick={() => void deactivateWeb3()}>
                <Unplug size={16} aria-hidden="true" />
                {t("Disconnect wallet")}
              </Menu.Item>
            )}
            {user && (
              <Menu.Item className="menu-item" disabled={isLoggingOut} onClick={() => void logout()}>
                <LogOut size={16} aria-hidden="true" />
                {t("Sign out")}
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The name that an address has set for itself (ENS), if any. */
function useNameOf(address: string): string {
  const lower = address.toLowerCase();
  const { data } = useServerQuery({
    queryKey: lower === "" ? undefined : ["name of address", lower],
    // Without an answer, the address is shown.
    queryFn: (options) => lookupAddress(lower, options).catch(() => null),
  });
  return data?.slice(0, 40) ?? "";
}
