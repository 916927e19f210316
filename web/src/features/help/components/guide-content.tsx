// The content of a page of the guide.
import { Fragment, type ReactNode } from 'react';

import { TextLink } from '~/components/text-link';
import type { GuideBlock, GuideText } from '~/features/help/guide';

type PathOf = (slug: string, section?: string) => string;

/** Renders the blocks in their order; they never change, so their places are their keys. */
export function GuideContent({ blocks, pathOf }: { blocks: readonly GuideBlock[]; pathOf: PathOf }) {
  return blocks.map((block, at) => <Block key={at} block={block} pathOf={pathOf} />);
}

function Block({ block, pathOf }: { block: GuideBlock; pathOf: PathOf }): ReactNode {
  const text = (content: readonly GuideText[]) => <Text content={content} pathOf={pathOf} />;
  switch (block.kind) {
    case 'heading':
      return (
        <h2 id={block.id} className="scroll-mt-[calc(5.5rem+var(--banner,0px))] pt-8 pb-3 text-xl first:pt-0">
          {text(block.content)}
        </h2>
      );
    case 'paragraph':
      return <p className="mb-4 leading-7 last:mb-0">{text(block.content)}</p>;
    case 'picture':
      return (
        <img
          src={block.src}
          alt={block.alt}
          width={block.width}
          height={block.height}
          loading="lazy"
          className="border-border mb-6 h-auto w-full rounded border"
        />
      );
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List
          className={`marker:text-muted-foreground mb-5 flex flex-col gap-2.5 pl-6 leading-7 last:mb-0 ${
            block.ordered ? 'list-decimal marker:tabular-nums' : 'list-disc'
          }`}
        >
          {block.items.map((item, at) => (
            <li key={at} className="pl-1.5 *:mb-2.5">
              <GuideContent blocks={item} pathOf={pathOf} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        <div className="border-border bg-card mb-5 overflow-x-auto rounded border">
          <table className="w-full text-left">
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col" className="text-muted-foreground px-4 py-2.5 text-sm font-medium">
                    {text(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at} className="border-border border-t">
                  {row.map((cell, column) => (
                    <td key={column} className="px-4 py-2.5 align-top">
                      {text(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function Text({ content, pathOf }: { content: readonly GuideText[]; pathOf: PathOf }): ReactNode {
  return content.map((part, at) => (
    <Fragment key={at}>{typeof part === 'string' ? part : <Mark part={part} pathOf={pathOf} />}</Fragment>
  ));
}

function Mark({ part, pathOf }: { part: Exclude<GuideText, string>; pathOf: PathOf }): ReactNode {
  const children = <Text content={part.content} pathOf={pathOf} />;
  switch (part.kind) {
    case 'strong':
      return <strong className="font-semibold">{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'code':
      return <code className="bg-muted rounded-sm px-1.5 py-0.5 font-mono text-[0.9em]">{children}</code>;
    case 'page':
      return (
        <TextLink to={pathOf(part.slug, part.section ?? undefined)} className="underline">
          {children}
        </TextLink>
      );
    case 'link':
      return (
        <a href={part.href} className="text-primary underline">
          {children}
        </a>
      );
  }
}
