//! The tickets of the demo clients.

use crate::people::{JOAO, MARIANA};

/// A ticket. Times are in minutes.
#[derive(Debug)]
pub(crate) struct Ticket {
    /// Index into `CLIENTS`.
    pub(crate) client: usize,
    /// Time from the creation to the seed.
    pub(crate) age: i64,
    /// Time from the creation to the last reply of the office; 0 without one.
    pub(crate) answered_after: i64,
    pub(crate) status: &'static str,
    pub(crate) category: &'static str,
    pub(crate) priority: &'static str,
    pub(crate) subject: &'static str,
    pub(crate) message: &'static str,
    /// The last reply of the office; empty without one.
    pub(crate) answer: &'static str,
}

const DAY: i64 = 24 * 60;

/// The tickets, newest first for each client.
pub(crate) const TICKETS: &[Ticket] = &[
    Ticket {
        client: JOAO,
        age: 95,
        answered_after: 0,
        status: "open",
        category: "billing",
        priority: "urgent",
        subject: "DAS deste mês vence hoje e o banco não aceita o código de barras",
        message: "Bom dia! Tentei pagar o DAS pelo aplicativo do banco e aparece “convênio não localizado”. Já tentei \
                  digitar a linha inteira duas vezes. Como vence hoje, podem conferir ou mandar uma guia nova? Estou na \
                  padaria até as 18h.",
        answer: "",
    },
    Ticket {
        client: JOAO,
        age: DAY + 310,
        answered_after: 0,
        status: "open",
        category: "support",
        priority: "normal",
        subject: "Como envio as notas de compra em lote?",
        message: "Tenho 43 notas de fornecedores em XML. Preciso mandar uma a uma ou existe um jeito de enviar todas de \
                  uma vez?",
        answer: "",
    },
    Ticket {
        client: JOAO,
        age: 3 * DAY + 125,
        answered_after: 5 * 60,
        status: "in-progress",
        category: "other",
        priority: "high",
        subject: "Admissão de ajudante de padeiro na segunda-feira",
        message: "Vou contratar o Wesley Antônio da Conceição Ferreira como ajudante de padeiro, salário de R$ 2.180,00, \
                  das 4h às 12h20, com vale-transporte (2 conduções). Ele já tem a carteira digital. Quais documentos \
                  preciso pedir e qual o prazo do exame admissional? Lembro que da última vez perdemos o prazo do eSocial \
                  por um dia.",
        answer: "Bom dia, João! Peça a ele carteira de identidade, CPF, comprovante de endereço e uma foto. O \
                 exame admissional tem de ser feito antes do primeiro dia de trabalho. Enviamos o evento ao \
                 eSocial assim que você mandar os documentos.",
    },
    Ticket {
        client: JOAO,
        age: 6 * DAY + 47,
        answered_after: DAY,
        status: "in-progress",
        category: "billing",
        priority: "normal",
        subject: "Diferença no balancete: conta de energia",
        message: "No balancete a conta de energia aparece maior do que as três faturas que mandei. Será que entrou a do \
                  mês anterior junto?",
        answer: "Você tem razão, João: entrou também a fatura do mês anterior. Estamos corrigindo o \
                 lançamento e mandamos o balancete novo até sexta.",
    },
    Ticket {
        client: JOAO,
        age: 12 * DAY + 410,
        answered_after: 2 * 60 + 12,
        status: "closed",
        category: "support",
        priority: "low",
        subject: "Não encontro o recibo do Imposto de Renda",
        message: "O banco pediu o recibo do IRPF para o financiamento do forno novo. Em que pasta ele fica?",
        answer: "Fica em Documentos Pessoais. Acabamos de conferir, está lá com o ano no nome.",
    },
    Ticket {
        client: JOAO,
        age: 19 * DAY + 205,
        answered_after: 26 * 60,
        status: "closed",
        category: "account",
        priority: "normal",
        subject: "Trocar o e-mail de acesso ao portal",
        message: "Quero usar o e-mail da padaria em vez do meu pessoal.",
        answer: "Feito! Confirme a troca pelos links que foram para os dois endereços.",
    },
    Ticket {
        client: JOAO,
        age: 27 * DAY + 330,
        answered_after: 3 * DAY,
        status: "closed",
        category: "other",
        priority: "normal",
        subject: "Alvará: fiscal pediu a via original",
        message: "Passou um fiscal da subprefeitura hoje e pediu o alvará. Mostrei a cópia do portal e ele aceitou, mas \
                  disse que a via original precisa estar exposta. Vocês têm a original aí no escritório?",
        answer: "A original está conosco, João. Mandamos pelo motoboy amanhã de manhã; deixe-a em local \
                 visível.",
    },
    Ticket {
        client: JOAO,
        age: 41 * DAY + 95,
        answered_after: 8 * 60,
        status: "closed",
        category: "billing",
        priority: "high",
        subject: "Fatura em duplicidade",
        message: "Recebi duas cobranças de honorários com o mesmo valor. Qual das duas devo pagar?",
        answer: "Pague só a primeira, por favor. A segunda foi gerada por engano e já está cancelada.",
    },
    Ticket {
        client: JOAO,
        age: 55 * DAY + 260,
        answered_after: 4 * 60,
        status: "closed",
        category: "support",
        priority: "normal",
        subject: "Férias da Rosângela",
        message: "A Rosângela completa o período aquisitivo agora e gostaria de tirar os 30 dias seguidos, sem vender \
                  nenhum. Preciso saber o valor com o terço, a data limite para pagamento e se posso dividir com as férias \
                  coletivas que pensamos em dar entre o Natal e o Ano-Novo, já que a loja vai fechar por uma semana para a \
                  reforma do piso.",
        answer: "Calculamos: o recibo com o terço está em Contratos. O pagamento é até dois dias antes do \
                 início, e as férias coletivas podem ser descontadas do mesmo período.",
    },
    Ticket {
        client: MARIANA,
        age: 38,
        answered_after: 0,
        status: "open",
        category: "support",
        priority: "high",
        subject: "Certidão negativa venceu e o convênio está pedindo",
        message: "Um dos convênios está renovando o credenciamento e exige a CND federal válida. A que está no portal \
                  venceu no mês passado. Conseguem emitir outra até sexta?",
        answer: "",
    },
    Ticket {
        client: MARIANA,
        age: DAY + 75,
        answered_after: 0,
        status: "open",
        category: "account",
        priority: "normal",
        subject: "Acesso ao portal para minha gerente",
        message: "Gostaria que a Vitória, da recepção, também pudesse ver as guias, mas não os documentos pessoais nem a \
                  folha. É possível?",
        answer: "",
    },
    Ticket {
        client: MARIANA,
        age: 2 * DAY + 400,
        answered_after: 0,
        status: "open",
        category: "billing",
        priority: "low",
        subject: "Nota fiscal com endereço antigo",
        message: "A NFS-e dos honorários ainda traz a Alameda dos Ipês.",
        answer: "",
    },
    Ticket {
        client: MARIANA,
        age: 5 * DAY + 150,
        answered_after: 20 * 60,
        status: "in-progress",
        category: "other",
        priority: "urgent",
        subject: "Notificação da Prefeitura sobre o ISS de sociedade de profissionais",
        message: "Chegou hoje, pelo domicílio eletrônico, uma notificação questionando o enquadramento da clínica. O prazo \
                  de resposta é de 15 dias. Anexei ao e-mail o PDF completo, mas resumo aqui: alegam que a sociedade tem \
                  caráter empresarial porque há exames de imagem no objeto social desde a quinta alteração. Preciso \
                  entender o risco de cobrança retroativa, se vale recolher pelo faturamento enquanto discutimos, e se a \
                  nossa resposta deve ser feita pelo escritório ou por advogado. Podemos conversar amanhã, antes das 10h \
                  ou depois das 19h?",
        answer: "Dra. Mariana, lemos a notificação. O risco existe, mas há boa defesa: os exames são meio, \
                 não fim, do serviço. Sugerimos responder com advogado e já pedimos um parecer. Podemos falar \
                 amanhã às 19h30?",
    },
    Ticket {
        client: MARIANA,
        age: 9 * DAY + 88,
        answered_after: 2 * DAY,
        status: "in-progress",
        category: "support",
        priority: "normal",
        subject: "Faturamento por convênio: incluir particulares",
        message: "A planilha ficou ótima. No próximo trimestre, poderiam separar os atendimentos particulares por forma de \
                  pagamento (Pix, crédito e débito)?",
        answer: "Podemos, sim. Já no próximo trimestre a planilha vem com Pix, crédito e débito em colunas \
                 separadas.",
    },
    Ticket {
        client: MARIANA,
        age: 16 * DAY + 310,
        answered_after: 50,
        status: "closed",
        category: "account",
        priority: "high",
        subject: "Não consigo entrar pelo celular",
        message: "Digito a senha e a página volta para o início. No computador funciona.",
        answer: "O navegador do seu aparelho bloqueava os cookies do portal. Ajustamos juntas pelo telefone; \
                 se voltar a acontecer, responda aqui.",
    },
    Ticket {
        client: MARIANA,
        age: 24 * DAY + 20,
        answered_after: 7 * 60,
        status: "closed",
        category: "billing",
        priority: "normal",
        subject: "Quota única ou três quotas no IRPJ?",
        message: "Compensa pagar o IRPJ do trimestre à vista ou dividir em três? O caixa de dezembro costuma ser apertado \
                  por causa do 13º.",
        answer: "Em três quotas há juros sobre a segunda e a terceira. Com o 13º à frente, dividir vale a \
                 pena: a diferença é pequena e preserva o caixa.",
    },
    Ticket {
        client: MARIANA,
        age: 37 * DAY + 145,
        answered_after: DAY + 200,
        status: "closed",
        category: "other",
        priority: "low",
        subject: "Obrigada!",
        message: "Só para agradecer a paciência da equipe com a mudança de endereço. Deu tudo certo na Vigilância \
                  Sanitária.",
        answer: "Nós é que agradecemos, Dra. Mariana. Conte conosco!",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::people::CLIENTS;
    use crate::tickets::{TICKETS, Ticket};

    #[test]
    fn tickets_cover_every_status_category_and_priority() {
        let all = TICKETS;
        let distinct =
            |part: fn(&Ticket) -> &'static str| all.iter().map(part).collect::<BTreeSet<_>>();
        assert_eq!(
            distinct(|ticket| ticket.category),
            BTreeSet::from(["account", "billing", "other", "support"])
        );
        assert_eq!(
            distinct(|ticket| ticket.priority),
            BTreeSet::from(["high", "low", "normal", "urgent"])
        );
        for client in 0..CLIENTS.len() {
            let of_client: Vec<_> = all.iter().filter(|ticket| ticket.client == client).collect();
            let statuses: BTreeSet<_> = of_client.iter().map(|ticket| ticket.status).collect();
            assert_eq!(statuses, BTreeSet::from(["closed", "in-progress", "open"]));
            assert!(of_client.is_sorted_by(|a, b| a.age < b.age));
        }
        for ticket in all {
            assert!(ticket.message.chars().count() >= 10 && !ticket.subject.is_empty());
            assert_eq!(ticket.answer.is_empty(), ticket.status == "open", "{}", ticket.subject);
            assert!(
                0 <= ticket.answered_after && ticket.answered_after < ticket.age,
                "{}",
                ticket.subject
            );
        }
    }
}
