#!/usr/bin/env python3
"""chain-model.py FILE: writes a GGUF model that knows one thing, which token comes after which.

Nothing is learnt and nothing is downloaded. Each token's vector has a one in a place of its own, the only layer adds
zeros, and the output matrix holds the logarithms of a table of successors. The server's grammar, made of the schemas of
the tools, does the rest: what does not fit is not taken, whatever the table says.
"""
import sys

import gguf
import numpy as np

END, START, DONE = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
TURN, OPEN, CLOSE = "assistant\n", "<tool_call>", "\n</tool_call>"
PHRASES = ["make mended", "words.cpp", "Makefile", ".", "make test", "true", "git status --short", "echo fine", "int main", "todo"]
SAID = ["I have ", "read it", "."]

TEMPLATE = (
    "{%- if tools %}<|im_start|>system\n# Tools\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
    "For each function call return <tool_call>\n"
    "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n{%- endif %}"
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n"
    "{%- if message.role == 'tool' %}<tool_response>{{ message.content }}</tool_response>"
    "{%- else %}{{ message.content or '' }}{%- endif %}"
    "{%- for call in message.tool_calls or [] %}<tool_call>\n"
    "{\"name\": \"{{ call.function.name }}\", \"arguments\": {{ call.function.arguments | tojson }}}\n"
    "</tool_call>{%- endfor %}<|im_end|>\n{%- endfor %}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_names():
    """How GPT-2's vocabulary writes the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in plain}
    for number, byte in enumerate(byte for byte in range(256) if byte not in names):
        names[byte] = chr(256 + number)
    return names


def main():
    kind = gguf.TokenType
    names = byte_names()
    tokens = [(names[byte], kind.NORMAL) for byte in range(256)]
    tokens += [(text, kind.CONTROL) for text in (END, START, DONE)]
    have = {text for text, _ in tokens}
    tokens += [(text, kind.USER_DEFINED) for text in (TURN, OPEN, CLOSE, *PHRASES, *SAID) if text not in have]
    tokens.append(("he", kind.NORMAL))
    number = {text: index for index, (text, _) in enumerate(tokens)}
    byte = {chr(code): number[names[code]] for code in range(256)}
    size = len(tokens)
    width = (size + 127) // 128 * 128

    follows = np.full((size, size), -12.0, np.float32)  # [next, last]
    printable = [byte[chr(code)] for code in range(32, 127)]
    follows[printable, :] = 0
    follows[byte['"'], :] = 2.5
    follows[byte["}"], :] = 1
    follows[byte["\\"], :] = -8
    follows[byte[","], :] = -1
    for phrase in PHRASES:
        follows[number[phrase], :] = 2
        follows[byte['"'], number[phrase]] = 7  # a phrase is mostly the whole string
    follows[number[PHRASES[0]], :] = 4.5  # the one that does something is said most
    follows[byte["b"], byte['"']] = 3.8  # the name of a tool, where that is wanted: bash
    for digit in "0123456789":
        follows[byte["}"], byte[digit]] = 4
    follows[number[CLOSE], byte["}"]] = 3

    def only(last, **successors):
        follows[:, number.get(last, byte.get(last))] = -12
        for text, weight in successors.items():
            follows[number.get(text, byte.get(text)), number.get(last, byte.get(last))] = weight

    only(TURN, **{OPEN: 6.0, SAID[0]: 4.5})
    only(OPEN, **{"\n": 8})
    follows[byte["{"], byte["\n"]] = 5
    only(CLOSE, **{DONE: 8, OPEN: 5})
    only(SAID[0], **{SAID[1]: 8})
    only(SAID[1], **{SAID[2]: 8})
    only(".", **{DONE: 6, OPEN: 4, '"': 5})

    writer = gguf.GGUFWriter(sys.argv[1], "llama")
    writer.add_name("chain")
    writer.add_context_length(131072)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(4)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(width // 4)
    writer.add_vocab_size(size)
    writer.add_file_type(0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_token_merges(["h e"])
    writer.add_bos_token_id(number[END])
    writer.add_eos_token_id(number[DONE])
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)

    embedding = np.zeros((size, width), np.float32)
    embedding[np.arange(size), np.arange(size)] = 1
    output = np.zeros((size, width), np.float32)
    output[:, :size] = follows / np.sqrt(width)  # the norm makes the one a square root of the width
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    ones = np.ones(width, np.float32)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(name + ".weight", ones)
    shapes = {name: (width, width) for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
    shapes |= {"ffn_gate": (64, width), "ffn_up": (64, width), "ffn_down": (width, 64)}
    for name, shape in shapes.items():
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
