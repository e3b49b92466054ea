import { type ParseObject, ParseObject as Record } from "@purse/client";
import { useMoralis, useMoralisQuery } from "@purse/react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { Button } from "../../design/Button.tsx";
import { Checkbox, Select } from "../../design/Choice.tsx";
import { Moment } from "../../design/Moment.tsx";
import { EmptyState, ErrorState } from "../../design/states.tsx";
import { Table } from "../../design/Table.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { accessInWords, grantsOf, isSharedWith, mayWrite } from "./access.ts";
import { ClassPicker } from "./ClassPicker.tsx";
import { FIRST_CLASS, isClassName, rememberClass } from "./classes.ts";
import { type FieldOf, fieldsOf, titleOf } from "./columns.ts";
import { Filters } from "./Filters.tsx";
import { filtersOf, isFieldName, narrow, textOfFilters } from "./filter.ts";
import { RecordPanel } from "./RecordPanel.tsx";
import type { DataSearch } from "./search.ts";
import { useFreshIds } from "./useFreshIds.ts";
import { type ListedClass, useListedClasses } from "./useListedClasses.ts";
import { summary } from "./values.ts";
import "./Data.css";

const SHOWN = 100;
const COLUMNS = 4;

/** Records of a class as they are now: own and shared, changed in place, live. */
export function Data() {
  usePageTitle("Data");
  const { t } = useTexts();
  const search = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const listed = useListedClasses();
  const className = search.class && isClassName(search.class) ? search.class : FIRST_CLASS;
  return (
    <>
      <div className="page-head">
        <h1>{t("Data")}</h1>
        <span className="small soft live">{t("Live: changes show as they happen")}</span>
      </div>
      <ClassPicker
        value={className}
        listed={listed?.map((each) => each.className)}
        onChange={(chosen) => void navigate({ search: { class: chosen } })}
      />
      <ClassRecords
        key={className}
        className={className}
        search={search}
        listed={listed?.find((each) => each.className === className)}
      />
    </>
  );
}

interface ClassRecordsProps {
  className: string;
  search: DataSearch;
  /** What the server tells of the class. */
  listed: ListedClass | undefined;
}

function ClassRecords({ className, search, listed }: ClassRecordsProps) {
  const texts = useTexts();
  const { t, language } = texts;
  const { user } = useMoralis();
  const toast = useToast();
  const navigate = useNavigate({ from: "/data" });
  const sort = search.sort && isFieldName(search.sort.replace(/^-/, "")) ? search.sort : "-createdAt";
  const filters = useMemo(() => filtersOf(search.where), [search.where]);
  const found = useMoralisQuery(
    className,
    (query) => narrow(query, filters, sort).limit(SHOWN),
    [className, search.where, sort],
    {
      live: true,
      onLiveCreate: (record, all) => [record, ...all.filter((each) => each.id !== record.id)],
    },
  );
  useEffect(() => {
    if (!found.error) rememberClass(className);
  }, [className, found.error]);
  const fresh = useFreshIds(found.data);
  const fields = useMemo(
    () => fieldsOf(className, found.data, listed?.fields),
    [className, found.data, listed],
  );
  const isOwn = (record: ParseObject) => user !== null && mayWrite(grantsOf(record.getACL()), user.id);
  const isShared = (record: ParseObject) => isSharedWith(grantsOf(record.getACL()), user?.id);
  const rows = user
    ? found.data.filter({ own: isOwn, shared: isShared, all: () => true }[search.whose ?? "all"])
    : found.data;
  const isNarrowed = filters.length > 0 || search.whose !== undefined;
  const isWaiting = found.isLoading;
  const change = (to: Partial<DataSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...to }), resetScroll: false });
  const opened = found.data.find(({ id }) => id === search.record);
  const refetch = () => void found.fetch();

  async function toggle(record: ParseObject, field: string, isOn: boolean) {
    try {
      await record.save({ [field]: isOn });
      refetch();
    } catch (error) {
      record.revert();
      toast(inOneLine(error, t));
    }
  }

  async function remove(record: ParseObject) {
    const acl = record.getACL();
    const values = Object.fromEntries(fields.map(({ name }) => [name, record.get(name)]));
    const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    try {
      await record.destroy();
      refetch();
      toast(t("Record deleted"), {
        label: t("Undo"),
        run: () => {
          const again = new Record(className, kept);
          if (acl) again.setACL(acl);
          again.save().then(
            () => {
              refetch();
              toast(t("It is back, under a new id"));
            },
            (error: unknown) => toast(inOneLine(error, t)),
          );
        },
      });
    } catch (error) {
      toast(inOneLine(error, t));
    }
  }

  return (
    <section className="card stack" aria-label={t("{class} records", { class: className })}>
      <div className="data-bar">
        <Filters
          fields={fields.map(({ name }) => name)}
          filters={filters}
          onFilters={(next) => change({ where: textOfFilters(next) })}
          sort={sort}
          onSort={(next) => change({ sort: next === "-createdAt" ? undefined : next })}
        />
        {user ? (
          <>
            <Select
              label={t("Whose")}
              hideLabel
              value={search.whose ?? "all"}
              onChange={(whose) => change({ whose: whose === "all" ? undefined : whose })}
              options={[
                { key: "all", label: t("All that I may read") },
                { key: "own", label: t("What I may change") },
                { key: "shared", label: t("Shared with me") },
              ]}
            />
            {listed?.create !== false && (
              <Button look="primary" onClick={() => change({ record: "new" })}>
                {t("New record")}
              </Button>
            )}
          </>
        ) : (
          <Link to="/sign-in" search={{ next: `/data?class=${className}` }} className="button">
            {t("Sign in to write")}
          </Link>
        )}
      </div>
      {found.error ? (
        <ErrorState error={found.error} retry={refetch} />
      ) : (
        <Table
          caption={t("{class} records", { class: className })}
          rows={isWaiting ? undefined : rows}
          keyOf={(record) => record.id ?? ""}
          empty={
            <EmptyState title={isNarrowed ? t("Nothing like this") : t("No records yet")}>
              {search.whose === "shared" && user
                ? t("Nobody else has given you anything here. Records that everyone may read do not count.")
                : isNarrowed
                  ? t("No record that you may read meets all filters.")
                  : user
                    ? listed?.create === false
                      ? t("You may not make records of this class.")
                      : t("Make the first one: New record.")
                    : t("Sign in to make the first one.")}
            </EmptyState>
          }
          columns={[
            {
              key: "title",
              label: t("Record"),
              cell: (record) => (
                <button
                  type="button"
                  className="record-title"
                  data-fresh={fresh.has(record.id ?? "")}
                  onClick={() => change({ record: record.id })}
                >
                  <bdi>{titleOf(record)}</bdi>
                </button>
              ),
            },
            ...shownFields(fields, found.data).map(({ name, type }) => ({
              key: name,
              label: name,
              number: type === "number",
              cell: (record: ParseObject) =>
                type === "boolean" ? (
                  <Checkbox
                    label={<span className="visually-hidden">{`${name}: ${titleOf(record)}`}</span>}
                    checked={record.get(name) === true}
                    disabled={!isOwn(record)}
                    onChange={(isOn) => void toggle(record, name, isOn)}
                  />
                ) : (
                  <bdi className="value clip">{summary(record.get(name), language).slice(0, 200)}</bdi>
                ),
            })),
            {
              key: "access",
              label: t("Access"),
              minor: true,
              cell: (record) => (
                <span className="small soft">
                  {accessInWords(grantsOf(record.getACL()), user?.id, texts)}
                </span>
              ),
            },
            {
              key: "changed",
              label: t("Changed"),
              cell: (record) => <Moment at={record.updatedAt ?? 0} />,
            },
            {
              key: "actions",
              label: <span className="visually-hidden">{t("Actions")}</span>,
              cell: (record) =>
                isOwn(record) ? (
                  <Button
                    small
                    look="quiet"
                    onClick={() => void remove(record)}
                    aria-label={t("Delete: {record}", { record: titleOf(record) })}
                  >
                    {t("Delete")}
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
      {found.data.length >= SHOWN && (
        <p className="small soft">{t("The first {n} are shown: filters find others.", { n: SHOWN })}</p>
      )}
      {search.record === "new" && user && (
        <RecordPanel
          className={className}
          record={undefined}
          fields={fields}
          addsFields={listed?.addField !== false}
          onClose={() => change({ record: undefined })}
          onSaved={refetch}
        />
      )}
      {opened && (
        <RecordPanel
          key={opened.id}
          className={className}
          record={opened}
          fields={fields}
          addsFields={listed?.addField !== false}
          onClose={() => change({ record: undefined })}
          onSaved={refetch}
        />
      )}
    </section>
  );
}

/** The columns: without what the title says already. */
function shownFields(fields: readonly FieldOf[], records: readonly ParseObject[]): FieldOf[] {
  const said = records.map(titleOf);
  const isTitle = ({ name }: FieldOf) =>
    records.length > 0 && records.every((record, i) => record.get(name) === said[i]);
  return fields.filter((field) => !isTitle(field)).slice(0, COLUMNS);
}

function inOneLine(error: unknown, t: (sentence: string) => string): string {
  const { title, detail } = explain(error, t);
  return `${title}. ${detail}`;
}
