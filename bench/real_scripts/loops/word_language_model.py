"""pytorch/examples word_language_model: no DataLoader, evaluates after each epoch, saves the best, tests at the end."""

import torch
from stopwatch_inside import Stopwatch
from torch import nn

bptt, words = 20, 500


class RNNModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.rnn, self.decoder = nn.Embedding(words, 64), nn.LSTM(64, 64, 2), nn.Linear(64, words)

    def forward(self, source, hidden):
        output, hidden = self.rnn(self.encoder(source), hidden)
        return nn.functional.log_softmax(self.decoder(output).view(-1, words), dim=1), hidden


def get_batch(source, i):
    length = min(bptt, len(source) - 1 - i)
    return source[i : i + length], source[i + 1 : i + 1 + length].view(-1)


def evaluate(source):
    model.eval()
    total, hidden = 0.0, None
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, bptt):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            total += len(data) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train():
    model.train()
    hidden = None
    for i in range(0, train_data.size(0) - 1, bptt):
        data, targets = get_batch(train_data, i)
        optimizer.zero_grad()
        hidden = tuple(h.detach() for h in hidden) if hidden is not None else None
        output, hidden = model(data, hidden)
        criterion(output, targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        watch.iteration()


train_data, val_data = torch.randint(0, words, (801, 20)), torch.randint(0, words, (301, 10))
model = RNNModel()
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
watch = Stopwatch()
best_val_loss = None
for _epoch in range(3):
    train()
    with watch.part("evaluation"):
        val_loss = evaluate(val_data)
    if best_val_loss is None or val_loss < best_val_loss:
        with watch.part("checkpoint"), open("model.pt", "wb") as f:
            torch.save(model, f)
        best_val_loss = val_loss
with open("model.pt", "rb") as f:
    model = torch.load(f, weights_only=False)
with watch.part("evaluation"):
    test_loss = evaluate(val_data)
print(f"| End of training | test loss {test_loss:5.2f}")
watch.write()
