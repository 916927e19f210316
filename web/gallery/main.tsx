// Component gallery: every piece of `src/ui` in its variants and states, for development and tests.
import './gallery.css';
import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { ThemeSwitch } from '~/ui/theme-switch';
import { Toaster } from '~/ui/toaster';

/** The examples of each piece, by the name of its file in `src/ui`. */
const pieces = Object.entries(
  import.meta.glob<ComponentType>('./pieces/*.tsx', { eager: true, import: 'Examples' }),
).map(([path, Examples]) => ({ name: path.replace(/^\.\/pieces\/|\.tsx$/g, ''), Examples }));

function Gallery() {
  return (
    <>
      <header className="border-border bg-card flex items-center justify-between gap-4 border-b px-4 py-3 sm:px-8">
        <h1 className="text-2xl">Component gallery</h1>
        <ThemeSwitch className="touch-target inline-flex items-center gap-2 px-2" />
      </header>
      <div className="mx-auto flex max-w-7xl gap-10 px-4 py-6 sm:px-8">
        <nav
          aria-label="Pieces"
          className="sticky top-6 hidden max-h-[calc(100dvh-3rem)] w-44 shrink-0 self-start overflow-y-auto lg:block"
        >
          {pieces.map(({ name }) => (
            <a
              key={name}
              href={`#${name}`}
              className="text-primary text-body flex min-h-11 items-center px-2"
            >
              {name}
            </a>
          ))}
        </nav>
        <main className="flex min-w-0 flex-1 flex-col gap-12">
          {pieces.map(({ name, Examples }) => (
            <section key={name} id={name} aria-labelledby={`${name}-title`} className="flex flex-col gap-5">
              <h2 id={`${name}-title`} className="border-border border-b pb-2 text-lg">
                {name}
              </h2>
              <Examples />
            </section>
          ))}
        </main>
      </div>
      <Toaster />
    </>
  );
}

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(
  <StrictMode>
    <Gallery />
  </StrictMode>,
);
