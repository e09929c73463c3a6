#pragma once

#include <QByteArray>
#include <QList>

namespace spettro {

/// Takes secrets out of text that is shown, logged or stored.
class Redactor
{
public:
    Redactor() = default;

    /// `secrets`: keys, passwords and the like as they are used. Those of under three bytes are passed over: their
    /// removal would leave no text.
    explicit Redactor(const QList<QByteArray> &secrets);

    /// `text` without the secrets, also where they are percent-encoded, in base64 or in a JSON string, and without what
    /// looks like one anywhere: values of key headers, user and password of an address, key parameters of an address.
    /// Clean before cutting: the half of a secret is not found.
    QByteArray clean(const QByteArray &text) const;

private:
    QList<QByteArray> m_secrets; ///< The longest first.
};

} // namespace spettro
