import {
  Address,
  Button,
  Chart,
  Checkbox,
  Code,
  Dialog,
  EmptyState,
  ErrorState,
  FailedRead,
  Field,
  Notice,
  QueryState,
  RelativeTime,
  Select,
  SkeletonList,
  Sparkline,
  Status,
  Stepper,
  Switch,
  Table,
  Tabs,
  TextArea,
  useToast,
} from "@purse/ui";
import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { LiveStatus } from "../components/LiveStatus.tsx";
import { formatFiat } from "../money/fiat.ts";
import { usePageTitle } from "../usePageTitle.ts";
import "./Design.css";

const COLORS = [
  ["paper", "ink"],
  ["surface", "ink"],
  ["surface-sunken", "ink"],
  ["accent", "accent-ink"],
  ["accent-soft", "accent"],
  ["brass-soft", "brass"],
  ["info-soft", "info"],
  ["danger-soft", "danger"],
] as const;

const DAY = 86_400_000;
const VALUES = [41, 44, 40, 52, 58, 55, 63, 61, 70, 68, 77, 81];
const POINTS = VALUES.map((value, i) => ({ at: Date.UTC(2026, 0, 1) + i * DAY, value: value * 12.5 }));
/** A query that failed five minutes after its last success. */
const FAILED = {
  data: undefined,
  error: { code: 100, message: "" },
  isFetching: false,
  dataUpdatedAt: Date.now() - 300_000,
  refetch: () => undefined,
};
const ADDRESS = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";

/** The live page of the design system, with every component. docs/contribute/design.md says when to use which. */
export function Design() {
  usePageTitle("Design");
  const toast = useToast();
  const [dialog, setDialog] = useState<"middle" | "side" | undefined>(undefined);
  const [tab, setTab] = useState<"tokens" | "nfts">("tokens");
  const [chain, setChain] = useState<"eth" | "base">("eth");
  const [isOn, setIsOn] = useState(true);
  return (
    <>
      <div className="page-head">
        <h1>Design</h1>
      </div>
      <div className="stack" style={{ gap: "1.5rem" }}>
        <Section title="Colors">
          <ul className="swatches">
            {COLORS.map(([back, front]) => (
              <li key={back} style={{ background: `var(--${back})`, color: `var(--${front})` }}>
                <strong>{back}</strong>
                <span>{front}</span>
              </li>
            ))}
          </ul>
        </Section>
        <Section title="Buttons">
          <div className="row">
            <Button variant="primary">Primary</Button>
            <Button>Secondary</Button>
            <Button variant="quiet">Quiet</Button>
            <Button icon={Trash2} variant="danger">
              Delete
            </Button>
            <Button busy>Loading</Button>
            <Button disabled>Disabled</Button>
            <Button small>Small</Button>
          </div>
        </Section>
        <Section title="Fields and choices">
          <div className="columns">
            <Field
              label="Recipient"
              placeholder="0x… or a name"
              hint="An address or a name such as vitalik.eth."
            />
            <Field
              label="Amount"
              defaultValue="12,5,0"
              problem="Invalid number: use at most one decimal separator."
            />
            <TextArea label="Note" rows={3} />
            <div className="stack tight">
              <Select
                label="Chain"
                value={chain}
                onChange={setChain}
                options={[
                  { key: "eth", label: "Ethereum" },
                  { key: "base", label: "Base" },
                ]}
              />
              <Switch label="Hide dust" checked={isOn} onChange={setIsOn} />
              <Checkbox label="I accept the terms" checked={isOn} onChange={setIsOn} />
            </div>
          </div>
        </Section>
        <Section title="States">
          <div className="row">
            <Status kind="ok">Finalized</Status>
            <Status kind="busy">In mempool</Status>
            <Status kind="warning">Replaced</Status>
            <Status kind="danger">Reverted</Status>
            <Status kind="info">2 confirmations</Status>
            <Status kind="idle">Not started</Status>
          </div>
          <Notice kind="warning" title="Looks similar to a known address">
            It starts and ends like one of your contacts. Compare every character.
          </Notice>
          <ErrorState error={{ code: 100, message: "" }} retry={() => toast("Tried again")} />
          <QueryState query={{ ...FAILED, data: "The latest block is 1,204." }} label="Loading">
            {(text) => <p>{text}</p>}
          </QueryState>
          <FailedRead query={FAILED}>Prices could not be loaded.</FailedRead>
          <div className="row">
            <LiveStatus state="connecting" />
            <LiveStatus state="live" />
            <LiveStatus state="reconnecting" />
            <LiveStatus state="offline" />
          </div>
          <div className="columns">
            <EmptyState title="No files yet" action={<Button variant="primary">Choose files</Button>}>
              Drop a file here, or paste it.
            </EmptyState>
            <SkeletonList rows={3} label="Loading" />
          </div>
        </Section>
        <Section title="Numbers">
          <Chart label="Value of the portfolio" points={POINTS} format={(value) => formatFiat(value, "en")} />
          <Table
            caption="Tokens"
            rowKey={({ name }) => name}
            empty={null}
            columns={[
              { key: "name", label: "Token", cell: ({ name }) => <strong>{name}</strong> },
              {
                key: "trend",
                label: "Week",
                hideOnPhone: true,
                cell: ({ name }) => <Sparkline label={name} values={VALUES} />,
              },
              { key: "amount", label: "Amount", number: true, cell: ({ amount }) => amount },
              { key: "seen", label: "Last seen", cell: ({ seen }) => <RelativeTime at={seen} /> },
            ]}
            rows={[
              { name: "Purse Token", amount: "909,988.99", seen: POINTS[3]?.at ?? 0 },
              { name: "Wrapped Ether", amount: "1.5", seen: POINTS[9]?.at ?? 0 },
            ]}
          />
        </Section>
        <Section title="Addresses and code">
          <Address address={ADDRESS} copy />
          <Address address={ADDRESS} short />
          <Code label="A query" text={'new Query("Note").equalTo("done", false).find();'} />
        </Section>
        <Section title="Overlays">
          <div className="row">
            <Button onClick={() => setDialog("middle")}>Open dialog</Button>
            <Button onClick={() => setDialog("side")}>Open side panel</Button>
            <Button
              onClick={() => toast("Note deleted", { label: "Undo", run: () => toast("Note restored") })}
            >
              Show toast
            </Button>
          </div>
          <Tabs
            label="Holdings"
            tabs={[
              { key: "tokens", label: "Tokens" },
              { key: "nfts", label: "NFTs" },
            ]}
            value={tab}
            onChange={setTab}
          >
            <p>Contents of {tab}.</p>
          </Tabs>
          <Stepper
            steps={[
              { label: "Signed", state: "done" },
              { label: "In mempool", state: "now" },
              { label: "Finalized", state: "todo" },
            ]}
          />
        </Section>
      </div>
      <Dialog
        open={dialog !== undefined}
        onClose={() => setDialog(undefined)}
        side={dialog === "side"}
        title="Remove this wallet?"
        description="You can link it again at any time."
        actions={
          <>
            <Button onClick={() => setDialog(undefined)}>Cancel</Button>
            <Button variant="danger" onClick={() => setDialog(undefined)}>
              Remove
            </Button>
          </>
        }
      >
        <Address address={ADDRESS} />
      </Dialog>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
