import { useMoralis } from "@purse/react";
import { Code, Detail, DetailList, Tabs, useTranslation } from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import { stringField } from "../../components/stringField.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { FirstSteps } from "./FirstSteps.tsx";
import { ServerState } from "./ServerState.tsx";
import { snippets } from "./snippets.ts";
import "./Home.css";

/** The home page: server status and how to connect an app. */
export function Home() {
  usePageTitle("Home");
  const { t } = useTranslation();
  const { user, isAuthenticated } = useMoralis();
  const name = stringField(user?.get("displayName")).trim().slice(0, 40);
  return (
    <div className="home">
      <section className="hero">
        <h1>
          {!isAuthenticated
            ? t("Your own wallet-ready backend")
            : name === ""
              ? t("Welcome back")
              : t("Welcome back, {name}", { name })}
        </h1>
        <p>
          {t("Auth, live database and blockchain data, running on this machine.")}{" "}
          {!isAuthenticated && t("Sign in with a wallet or a password to explore.")}
        </p>
        <div className="row">
          {isAuthenticated ? (
            <Link to="/portfolio" search={{}} className="button primary">
              {t("Open portfolio")}
            </Link>
          ) : (
            <Link to="/sign-in" search={{}} className="button primary">
              {t("Sign in")}
            </Link>
          )}
          <Link to="/data" className="button">
            {t("View live data")}
          </Link>
        </div>
      </section>
      <ServerState />
      <FirstSteps />
      <ConnectApp />
      <Resources />
    </div>
  );
}

function ConnectApp() {
  const { t } = useTranslation();
  const { appId, serverUrl, development } = useSettings();
  const { code } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const all = snippets({ serverUrl, appId, development });
  const shown = all.find(({ key }) => key === code) ?? all[0];
  if (!shown) return null;
  return (
    <section className="card stack connect-app" aria-labelledby="connect">
      <h2 id="connect">{t("Connect your app")}</h2>
      <Tabs
        label={t("App types")}
        tabs={all.map(({ key, label }) => ({ key, label: t(label) }))}
        value={shown.key}
        onChange={(key) => void navigate({ search: { code: key }, replace: true, resetScroll: false })}
      >
        <p className="soft">{t(shown.summary)}</p>
        {shown.install !== undefined && <Code text={shown.install} label={t("Install")} wrap />}
        <Code text={shown.code} label={t(shown.label)} />
      </Tabs>
      <DetailList>
        <Detail label="serverUrl">
          <code>{serverUrl}</code>
        </Detail>
        <Detail label="appId">
          <code>{appId}</code>
        </Detail>
      </DetailList>
    </section>
  );
}

/** Links to other parts of this server. */
function Resources() {
  const { t } = useTranslation();
  const resources = [
    {
      href: "/docs/",
      name: t("Documentation"),
      description: t("Guides, recipes and references for this version."),
    },
    {
      href: "/studio",
      name: t("Studio"),
      description: t("Admin dashboard: data, permissions, jobs and logs."),
    },
    {
      href: "/docs/reference/data-api",
      name: t("Data API"),
      description: t("REST API for blocks, balances, transfers, NFTs and prices."),
    },
    {
      href: "/api/v2/openapi.json",
      name: t("OpenAPI"),
      description: t("Machine-readable API specification."),
    },
  ];
  return (
    <section className="card stack tight" aria-labelledby="doors">
      <h2 id="doors">{t("Resources")}</h2>
      <ul className="list">
        {resources.map(({ href, name, description }) => (
          <li key={href}>
            <a href={href}>
              {name} <ArrowUpRight size={14} aria-hidden="true" />
            </a>
            <p className="small soft">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
