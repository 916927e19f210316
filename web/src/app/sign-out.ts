import { leave } from '~/app/guard';
import { useAction } from '~/lib/use-action';

export function useSignOut() {
  return useAction({
    run: leave,
    success: { title: 'Logout realizado com sucesso!' },
    failure: {
      title: 'Erro ao fazer logout',
      fallback: 'Não foi possível encerrar a sessão. Tente novamente.',
    },
  });
}
