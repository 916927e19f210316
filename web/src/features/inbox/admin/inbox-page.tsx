// The inbox: files that the office drops at once, reviewed and published together.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BookCheck, Inbox, Send } from 'lucide-react';
import { useState } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import { searchClientsQuery } from '~/features/clients/api/clients';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { HelpLink } from '~/features/help/components/help-link';
import {
  discardFiles,
  type InboxCounts,
  inboxCountsQuery,
  type InboxFile,
  inboxFilesQuery,
  inboxKeys,
  type Review,
  reviewFiles,
} from '~/features/inbox/api';
import { GROUPS } from '~/features/inbox/review-labels';
import { useInboxUploads } from '~/features/inbox/upload-provider';
import { useReviewPresence } from '~/features/inbox/use-review-presence';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useUrlParams } from '~/hooks/use-url-params';
import type { ReviewGroup } from '~/lib/api/database';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig } from '~/lib/api/server-config';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { formatInteger, pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Dropzone } from '~/ui/dropzone';
import { Field } from '~/ui/field';
import { DropHint } from '~/ui/file-input';
import { SkeletonList } from '~/ui/skeleton';
import { ToggleGroup } from '~/ui/toggle-group';

import { BulkBar } from './bulk-bar';
import { InboxTable } from './inbox-table';
import { PublishDialog } from './publish-dialog';
import { ReviewPanel } from './review-panel';
import { RulesDialog } from './rules-dialog';
import { ScheduleNotice } from './schedule-notice';
import { UploadStatus } from './upload-status';
import { useFileInAddress } from './use-file-in-address';
import { useInboxSelection } from './use-inbox-selection';
import { useOpenedFile } from './use-opened-file';

export function loader() {
  void queryClient.prefetchQuery(inboxCountsQuery());
  void queryClient.prefetchQuery(searchClientsQuery(''));
  void queryClient.prefetchQuery(allFoldersQuery());
  return null;
}

export { InboxPage as Component };

function InboxPage() {
  const limit = serverConfig().max_upload_bytes;
  const [params, setParam] = useUrlParams();
  const counts = useQuery(inboxCountsQuery());
  // The group that is worked on stays while it has files, although decisions fill groups that are before it.
  const [kept, setKept] = useState<ReviewGroup | null>(null);
  const group = groupOf(params.get('grupo'), kept, counts.data);
  const files = useInfiniteQuery(inboxFilesQuery(group));
  const rows = files.data?.pages.flat();
  const upload = useInboxUploads();
  const selection = useInboxSelection({
    group,
    files: rows ?? [],
    hasMore: files.hasNextPage,
    onUse: () => setKept(group),
  });
  const [isPublishing, setIsPublishing] = useState(false);
  const [isShowingRules, setIsShowingRules] = useState(false);
  const opened = useOpenedFile(group, rows ?? []);
  const open = opened.file;
  const reviewers = useReviewPresence(open?.id ?? null);

  // Number of changes that were not saved, after which the panel shows the saved client again.
  const [failures, setFailures] = useState(0);
  const review = useApiMutation({
    mutationFn: reviewFiles,
    invalidates: [inboxKeys.all],
    errorToast: { title: 'Erro ao alterar o arquivo' },
    onError: () => setFailures((now) => now + 1),
    onSettled: ({ ids }) => void opened.settle(ids),
  });
  const reviewAll = (ids: string[], changes: Review) => {
    opened.decide(ids);
    review.mutate({ ids, review: changes });
  };
  const discard = useApiMutation({
    mutationFn: discardFiles,
    invalidates: [inboxKeys.all],
    successToast: { title: 'Arquivo descartado' },
    errorToast: { title: 'Erro ao descartar o arquivo' },
    onSettled: (ids) => void opened.settle(ids),
  });

  const show = (next: ReviewGroup) => {
    setParam('grupo', next);
    selection.clear();
    opened.close();
  };
  const showPublication = () => setIsPublishing(true);
  /** Without a selection all files of the group are published. */
  const publish = () =>
    selection.files.length > 0 ? showPublication() : selection.selectAll(showPublication);
  const openFile = (id: string) => {
    setKept(group);
    opened.open(id);
  };
  // Before the counts are known, the group may be another one.
  const isGroupKnown = counts.data !== undefined || params.has('grupo');
  useFileInAddress({
    id: open?.id ?? null,
    rows: isGroupKnown ? rows : undefined,
    open: openFile,
    close: opened.close,
  });
  const step = (by: number) => {
    setKept(group);
    opened.step(by);
  };
  const leave = () => {
    setKept(group);
    opened.leave();
  };

  return (
    <>
      <PageHeader
        title="Caixa de entrada"
        description={
          <>
            Solte aqui as guias e os documentos de todos os clientes. O portal lê cada arquivo e propõe
            cliente, pasta, competência, vencimento e valor.{' '}
            <HelpLink to={paths.adminGuidePage('publicar-pela-caixa-de-entrada')} />
          </>
        }
        back={{ to: paths.adminDocuments(), label: 'Documentos' }}
        secondary={
          <Button
            variant="secondary"
            icon={<BookCheck size={20} aria-hidden />}
            onClick={() => setIsShowingRules(true)}
          >
            Regras
          </Button>
        }
      />
      {isShowingRules && <RulesDialog onClose={() => setIsShowingRules(false)} />}
      <div className="flex flex-col gap-5">
        <Field label="Arquivos">
          {(control) => (
            <Dropzone
              {...control}
              multiple
              folders
              disabled={false}
              onFiles={upload.add}
              onRefuse={(reason) =>
                toast({ title: 'Erro ao enviar arquivos', description: reason, variant: 'error' })
              }
            >
              <DropHint
                compact={(rows?.length ?? 0) > 0}
                what="Selecione os arquivos"
                hint={`Um a um, todos juntos ou uma pasta inteira. PDF, JPG, PNG, XML e outros, até ${formatSizeLimit(limit)} cada`}
              />
            </Dropzone>
          )}
        </Field>
        <UploadStatus upload={upload} reading={counts.data?.reading ?? 0} />
        <ScheduleNotice scheduled={counts.data?.scheduled ?? 0} />
        <div className="[scrollbar-width:none] overflow-x-auto">
          <ToggleGroup
            label="Grupo"
            variant="quiet"
            value={group}
            options={GROUPS.map(({ value, label }) => ({
              value,
              label: tabLabel(label, counts.data?.[value]),
            }))}
            onChange={show}
            className="w-max"
          />
        </div>
        <div
          className={
            open
              ? 'grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_28rem] 2xl:grid-cols-[minmax(0,1fr)_34rem]'
              : undefined
          }
        >
          <QueryList
            query={files}
            rows={rows}
            loading={<SkeletonList rows={6} rowClassName="h-14" />}
            empty={emptyState(group, counts.data)}
            card
          >
            {(listed: readonly InboxFile[]) => (
              <InboxTable
                files={listed}
                total={Math.max(counts.data?.[group] ?? 0, listed.length)}
                selection={selection}
                openId={open?.id ?? null}
                reviewers={reviewers}
                onOpen={openFile}
                onStep={step}
                onClose={opened.close}
              />
            )}
          </QueryList>
          {open && (
            <ReviewPanel
              key={open.id}
              file={open}
              reviewers={reviewers.get(open.id) ?? []}
              failures={failures}
              notice={opened.notice}
              onReview={(changes) => reviewAll([open.id], changes)}
              onDiscard={() => {
                opened.decide([open.id]);
                discard.mutate([open.id]);
              }}
              isDiscarding={discard.isPending}
              onStep={step}
              onLeave={leave}
              onClose={opened.close}
            />
          )}
        </div>
      </div>
      <BulkBar
        group={group}
        selected={selection.files}
        isChanging={review.isPending}
        onClear={() => {
          if (open && selection.ids.has(open.id)) opened.close();
          selection.clear();
        }}
        onReview={(changes) =>
          reviewAll(
            selection.files.map(({ id }) => id),
            changes,
          )
        }
        action={
          group === 'recognized' && (rows?.length ?? 0) > 0 ? (
            <Button icon={<Send size={20} aria-hidden />} pending={selection.isLoading} onClick={publish}>
              {`Publicar ${formatInteger(selection.files.length > 0 ? selection.files.length : (counts.data?.recognized ?? 0))}`}
            </Button>
          ) : null
        }
      />
      {isPublishing && (
        <PublishDialog
          files={selection.files}
          onClose={() => setIsPublishing(false)}
          onPublished={() => {
            setIsPublishing(false);
            selection.clear();
            opened.close();
          }}
        />
      )}
    </>
  );
}

/** The group of the address, or the kept one while it has files, or the first one with files. */
function groupOf(
  param: string | null,
  kept: ReviewGroup | null,
  counts: InboxCounts | undefined,
): ReviewGroup {
  const chosen = GROUPS.find(({ value }) => value === param);
  const filled = GROUPS.filter(({ value }) => (counts?.[value] ?? 0) > 0);
  const shown = chosen ?? filled.find(({ value }) => value === kept) ?? filled[0];
  return shown?.value ?? 'recognized';
}

function tabLabel(label: string, count: number | undefined) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {label} <span className="text-muted-foreground">{count === undefined ? '' : formatInteger(count)}</span>
    </span>
  );
}

function emptyState(group: ReviewGroup, counts: InboxCounts | undefined) {
  const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  const undecided = counts ? counts.doubtful + counts.no_owner + counts.problem : 0;
  return total === 0
    ? {
        icon: <Inbox size={26} />,
        title: 'A caixa de entrada está vazia',
        hint: 'Solte os arquivos acima. Nada chega a um cliente antes de você publicar.',
      }
    : {
        icon: <Inbox size={26} />,
        title: 'Nenhum arquivo neste grupo',
        hint:
          group === 'recognized' && undecided > 0
            ? `${pluralize(undecided, 'arquivo espera', 'arquivos esperam')} por uma decisão nos outros grupos.`
            : 'Os arquivos mudam de grupo quando são lidos ou decididos.',
      };
}
