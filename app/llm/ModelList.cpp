#include "app/llm/ModelList.h"

#include "app/llm/JsonText.h"
#include "app/llm/ServerError.h"

#include <algorithm>

namespace spettro {

namespace {

/// Every server has its own word for it.
qint64 contextTokensOf(const Json &model)
{
    const Json &meta = member(model, "meta"); // llama.cpp
    for (const Json *said : {
             &member(model, "context_length"),     // OpenRouter, Together
             &member(model, "max_model_len"),      // vLLM
             &member(model, "context_window"),     // Groq
             &member(model, "max_context_length"), // Mistral, LM Studio
             &member(model, "max_input_tokens"),   // Anthropic
             &member(meta, "n_ctx"),
             &member(meta, "n_ctx_train"),
         }) {
        if (const qint64 tokens = integerOf(*said).value_or(0); tokens > 0) {
            return tokens;
        }
    }
    return 0;
}

} // namespace

std::variant<ModelPage, ModelError> readModelPage(const QByteArray &body, const Redactor &redactor)
{
    const Json answer = parseJson(body).value_or(Json());
    if (const Json &error = member(answer, "error"); !error.is_null()) {
        return errorFromObject(error, redactor);
    }
    const Json &list = answer.is_array() ? answer : member(answer, "data");
    if (!list.is_array()) {
        return modelError(ModelError::Kind::BadReply,
                          "The server answered with something that is no list of models: "
                              + excerptOf(body, redactor),
                          redactor);
    }
    ModelPage page;
    for (const Json &model : list) {
        const QByteArray id = textOf(member(model, "id"));
        if (!id.isEmpty()) {
            page.models.append({id, contextTokensOf(model)});
        }
    }
    const Json &hasMore = member(answer, "has_more");
    if (hasMore.is_boolean() && hasMore.get<bool>()) {
        const QByteArray last = textOf(member(answer, "last_id"));
        page.next = !last.isEmpty() || page.models.isEmpty() ? last : page.models.last().id;
    }
    return page;
}

QList<OfferedModel> sortedModels(QList<OfferedModel> models)
{
    std::stable_sort(models.begin(), models.end(),
                     [](const OfferedModel &a, const OfferedModel &b) { return a.id < b.id; });
    models.erase(std::unique(models.begin(), models.end(),
                             [](const OfferedModel &a, const OfferedModel &b) { return a.id == b.id; }),
                 models.end());
    return models;
}

} // namespace spettro
