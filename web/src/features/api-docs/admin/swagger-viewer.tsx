// Swagger UI, which contains a React of its own and renders into an element of its own.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

import 'swagger-ui-dist/swagger-ui.css';
import './swagger-viewer.css';

import type { OpenApiDocument } from '~/features/api-docs/api';
import { currentTheme } from '~/lib/theme';

const Hidden = () => null;
/** Hides the controls for requests. */
const withoutRequests = {
  wrapComponents: {
    authorizeBtn: () => Hidden,
    authorizeOperationBtn: () => Hidden,
    ServersContainer: () => Hidden,
  },
};

/**
 * Shows a document. The viewer sends no requests: it has no validator, and it cannot try operations, because it would
 * need the access token.
 */
export function SwaggerViewer({ document: spec }: { document: OpenApiDocument }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const domNode = document.createElement('div');
    container.current?.append(domNode);
    SwaggerUI({
      domNode,
      spec,
      validatorUrl: null,
      supportedSubmitMethods: [],
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      plugins: [withoutRequests],
    });
    return () => domNode.remove();
  }, [spec]);
  useDarkMode();
  // Swagger UI and the descriptions are in English.
  return <div ref={container} lang="en" />;
}

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');

/** Gives the root element the class by which Swagger UI becomes dark. */
function useDarkMode() {
  const isDark = useSyncExternalStore(subscribeToTheme, () => {
    const theme = currentTheme();
    return theme === 'dark' || (theme === 'system' && darkScheme.matches);
  });
  useEffect(() => {
    document.documentElement.classList.toggle('dark-mode', isDark);
    return () => document.documentElement.classList.remove('dark-mode');
  }, [isDark]);
}

function subscribeToTheme(onChange: () => void) {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  darkScheme.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    darkScheme.removeEventListener('change', onChange);
  };
}
